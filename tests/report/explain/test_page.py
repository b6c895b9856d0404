"""The page in a real browser shows what Python computes, and computes what Python would."""

from __future__ import annotations

import time

import pytest

from memorai.datasets.demo import load_demo
from memorai.harness.load import load_dataset, load_system
from memorai.memory import Memory
from memorai.report.explain.data import Explanation
from memorai.report.explain.explain import explain, find_question
from memorai.report.explain.html import write_page
from memorai.retrieval.retrievers import PageRankRetriever

pytestmark = pytest.mark.browser

QUICK = ("embedder=hashing",)
#: a question of several turns, in each language
QUESTIONS = ("demo-en:q17", "demo-zh:q9")


def explained(question: str, *systems: str, nodes: int = 500, overrides: tuple[str, ...] = QUICK) -> list[Explanation]:
    conversation, asked = find_question(load_demo(), question)
    return [explain(name, load_system(name, *overrides), conversation, asked, nodes=nodes) for name in systems]


@pytest.fixture(scope="module", params=QUESTIONS)
def both(request, chromium, tmp_path_factory):
    made = explained(request.param, "memorai", "memorai_plus", nodes=150)
    chromium.open(write_page(tmp_path_factory.mktemp("page") / "page.html", made))
    assert chromium.driver.get_log("browser") == []
    return chromium, made


def listed(browser, panel: int) -> list[tuple[str, float, str]]:
    items = browser.all(f"#panels > section:nth-of-type({panel + 1}) .ranked > li")
    return [
        (
            item.get_attribute("data-turn"),
            float(item.get_attribute("data-score")),
            item.find_element("css selector", ".words").get_attribute("textContent"),
        )
        for item in items
    ]


def check_ranking(shown: list[tuple[str, float, str]], wanted: list[tuple[str, float]], texts: dict[str, str]) -> None:
    """Equal to 1e-6, and in the same order where scores differ by more than rounding."""
    assert shown
    assert [score for _, score, _ in shown] == pytest.approx([score for _, score in wanted[: len(shown)]], abs=1e-6)
    scores = dict(wanted)
    for (id_, score, text), (other, same) in zip(shown, wanted, strict=False):
        assert text == texts[id_] and score == pytest.approx(scores[id_], abs=1e-6)
        assert id_ == other or scores[id_] == pytest.approx(same, abs=1e-12)


def texts_of(found: Explanation) -> dict[str, str]:
    return {node.id: node.text for node in found.nodes if node.kind == "turn"}


def check_walk(browser, panel: int, found: Explanation, damping: float, scheme: str) -> None:
    """All scores, and terms and paths of the listed turns, under the values that the page stands at."""
    solved = found.walk.solve(damping, scheme)
    scores = browser.js(f"return Array.from(memorai.panels[{panel}].solved.scores)")
    assert scores == pytest.approx(solved.scores.tolist(), abs=1e-6)
    assert scores == pytest.approx(solved.scores.tolist(), abs=1e-11)
    targets = tuple(dict.fromkeys([r.node for r in found.ranked] + [g.node for g in found.gold if g.node is not None]))
    paths = browser.js(
        f"return arguments[0].map((node) => memorai.panels[{panel}].path(node))", [int(node) for node in targets]
    )
    wanted = solved.paths(targets)
    for node, path in zip(targets, paths, strict=True):
        assert (path is None) == (node not in wanted)
        if path is not None:
            assert tuple(path["nodes"]) == wanted[node].nodes
            assert path["mass"] == pytest.approx(wanted[node].mass, abs=1e-9)
        terms = browser.js(f"return termsOf(memorai.panels[{panel}].solved, arguments[0])", int(node))
        same = solved.terms(node)
        assert (terms["restart"], terms["dangling"]) == pytest.approx((same.restart, same.dangling), abs=1e-9)
        assert sum(amount for _, amount in terms["inflow"]) == pytest.approx(same.total - same.restart - same.dangling)
        assert dict(terms["inflow"]) == pytest.approx(dict(same.inflow), abs=1e-9)


def set_damping(browser, panel: int, value: float) -> None:
    browser.js(
        "const input = memorai.panels[arguments[0]].number_; input.value = arguments[1];"
        "input.dispatchEvent(new Event('change'))",
        *(panel, str(value)),
    )


def choose(browser, panel: int, scheme: str) -> None:
    browser.js(
        "const choice = memorai.panels[arguments[0]].choice; choice.value = arguments[1];"
        "choice.dispatchEvent(new Event('change'))",
        *(panel, scheme),
    )


def test_the_page_shows_what_python_computes(both):
    browser, made = both
    assert browser.all("h1")[0].text == made[0].asked.text
    assert [heading.text for heading in browser.all("h2")] == ["memorai", "memorai_plus"]
    for panel, found in enumerate(made):
        shown = listed(browser, panel)
        assert [(id_, score) for id_, score, _ in shown] == [(r.id, r.score) for r in found.ranked]
        assert [text for *_, text in shown] == [texts_of(found)[r.id] for r in found.ranked]
        check_walk(browser, panel, found, found.walk.damping, found.walk.scheme)
        gold = browser.js(
            "return [...memorai.panels[arguments[0]].list.children].filter((li) => li.querySelector('.is-gold'))"
            ".map((li) => li.dataset.turn)",
            panel,
        )
        assert gold == [r.id for r in found.ranked if r.gold]
        missing = browser.all(f"#panels > section:nth-of-type({panel + 1}) .missing > li")
        assert [li.get_attribute("data-gold") for li in missing] == [
            g.id for g in found.gold if g.id not in {r.id for r in found.ranked}
        ]


def test_it_ranks_again_as_python_does(both):
    browser, made = both
    for panel, found in enumerate(made):
        for damping in (0.0, 0.3, 0.95):
            set_damping(browser, panel, damping)
            check_ranking(listed(browser, panel), found.rerank(damping), texts_of(found))
            check_walk(browser, panel, found, damping, found.walk.scheme)
        for scheme in found.walk.weights:
            choose(browser, panel, scheme)
            check_ranking(listed(browser, panel), found.rerank(0.95, scheme), texts_of(found))
            check_walk(browser, panel, found, 0.95, scheme)
        browser.js("memorai.panels[arguments[0]].root.querySelector('.reset').click()", panel)
        assert [id_ for id_, *_ in listed(browser, panel)] == [r.id for r in found.ranked]


def test_another_damping_ranks_as_the_system_itself_with_that_damping(both):
    browser, made = both
    conversation, question = find_question(load_demo(), made[1].asked.id)
    system = load_system("memorai_plus", *QUICK, "systems.memorai_plus.retriever.damping=0.3")
    assert isinstance(system.retriever, PageRankRetriever)
    system.retriever.tol, system.retriever.max_iter = 1e-12, 2000
    (ranking,) = system.index(conversation).search([question.query], 10)
    set_damping(browser, 1, 0.3)
    check_ranking(listed(browser, 1), list(zip(ranking.ids, ranking.scores, strict=True)), texts_of(made[1]))
    browser.js("memorai.panels[1].reset()")


def test_choosing_an_answer_highlights_its_path_in_both(both):
    browser, made = both
    last = made[0].ranked[-1]
    browser.all(".ranked > li button")[len(made[0].ranked) - 1].click()
    for panel, found in enumerate(made):
        node = next((i for i, n in enumerate(found.nodes) if n.kind == "turn" and n.id == last.id), None)
        if node is None:
            continue
        path = found.solved.paths((node,))[node].nodes
        lit = browser.js(
            "return memorai.panels[arguments[0]].drawing.cy.nodes('.path').map((n) => Number(n.id()))", panel
        )
        assert sorted(lit) == sorted(path)
        edges = browser.js("return memorai.panels[arguments[0]].drawing.cy.edges('.path').length", panel)
        assert edges == len(path) - 1
        steps = browser.all(f"#panels > section:nth-of-type({panel + 1}) .detail ol.path li")
        assert [int(step.get_attribute("data-node")) for step in steps] == list(path)
    detail = browser.all(".detail")[0].text
    assert made[0].nodes[last.node].text in detail and made[0].nodes[last.node].session in detail
    assert made[0].nodes[last.node].time in detail and "seed mass" in detail


def test_sizes_and_widths_follow_scores_and_weights(both):
    browser, made = both
    for panel, found in enumerate(made):
        sizes = browser.js(
            "return memorai.panels[arguments[0]].drawing.cy.nodes('.node')"
            ".map((n) => [Number(n.id()), n.data('size')])",
            panel,
        )
        drawn = [int(i) for i, _ in sizes]
        assert set(found.shown) <= set(drawn) and len(found.shown) == min(150, len(found.nodes))
        most = max(found.solved.scores[i] for i in drawn)
        assert [s for _, s in sizes] == pytest.approx([6 + 44 * (found.solved.scores[i] / most) ** 0.5 for i in drawn])
        counted = browser.all(f"#panels > section:nth-of-type({panel + 1}) .budget")[0].text
        assert f"{len(found.shown)} of {len(found.nodes)} nodes" in counted
        for kind, count in found.left_out.items():
            assert f"{count} {kind}" in counted
        walk = found.walk
        lines = browser.js(
            "return memorai.panels[arguments[0]].drawing.cy.edges().map((e) => [e.data('pair').a, e.data('pair').b,"
            " e.data('width')])",
            panel,
        )
        there: dict[tuple[int, int], float] = {}
        weights = zip(walk.source.tolist(), walk.target.tolist(), walk.weights[walk.scheme].tolist(), strict=True)
        for a, b, weight in weights:
            there[a, b] = there.get((a, b), 0.0) + weight
        weight_of = [max(there.get((a, b), 0.0), there.get((b, a), 0.0)) for a, b, _ in lines]
        pairs = {(min(a, b), max(a, b)) for a, b in there if a != b and {a, b} <= set(drawn)}
        assert len(lines) == len({(a, b) for a, b, _ in lines}) == min(1500, len(pairs))
        left_out = pairs - {(a, b) for a, b, _ in lines}
        strongest_left = max((max(there.get((a, b), 0.0), there.get((b, a), 0.0)) for a, b in left_out), default=0.0)
        assert min(weight_of) >= strongest_left
        assert (f"Of {len(pairs)} lines between them the 1500 strongest are drawn." in counted) == (len(pairs) > 1500)
        assert [width for *_, width in lines] == pytest.approx([0.3 + 6 * w / max(weight_of) for w in weight_of])


def test_it_is_worked_by_keyboard(both):
    from selenium.webdriver.common.keys import Keys

    browser, made = both
    browser.js("memorai.panels.forEach((panel) => panel.clear()); document.activeElement.blur()")
    # every control is reached with the tab key alone
    body = browser.driver.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    reached = set()
    for _ in range(60):
        active = browser.driver.switch_to.active_element
        reached.add(active.get_attribute("role") or active.get_attribute("type") or active.tag_name)
        active.send_keys(Keys.TAB)
    assert {"application", "range", "number", "select-one", "button"} <= reached
    graph = browser.all(".graph")[0]
    graph.send_keys(Keys.ARROW_RIGHT)
    first = browser.js("return memorai.panels[0].drawing.cursor")
    assert first == made[0].ranked[0].node
    graph.send_keys(Keys.ARROW_RIGHT)
    second = browser.js("return memorai.panels[0].drawing.cursor")
    turns = [i for i in made[0].shown if made[0].nodes[i].kind == "turn"]
    drawn = browser.js("return [...memorai.panels[0].drawing.drawn]")
    turns = sorted(i for i in drawn if made[0].nodes[i].kind == "turn")
    assert second == (turns[turns.index(first) + 1] if first != turns[-1] else first)
    assert made[0].nodes[second].text in browser.all(".detail")[0].text
    graph.send_keys(Keys.ENTER)
    assert browser.js("return memorai.panels[0].selected") == second
    graph.send_keys(Keys.ARROW_UP)
    assert made[0].nodes[browser.js("return memorai.panels[0].drawing.cursor")].kind == "entity"
    graph.send_keys(Keys.ESCAPE)
    assert browser.js("return memorai.panels[0].selected") is None
    before = browser.js("return memorai.panels[0].drawing.cy.zoom()")
    graph.send_keys("+")
    assert browser.js("return memorai.panels[0].drawing.cy.zoom()") > before
    button = browser.all(".ranked > li button")[1]
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true"
    slider = browser.all("input[type=range]")[0]
    slider.send_keys(Keys.ARROW_LEFT)
    assert browser.js("return memorai.panels[0].damping") == pytest.approx(0.84)
    browser.js("memorai.panels.forEach((panel) => { panel.clear(); panel.reset(); })")


def test_dark_mode_follows_the_system(both):
    browser, _ = both
    expected = {False: ("rgb(255, 255, 255)", "rgb(36,103,176)"), True: ("rgb(20, 23, 27)", "rgb(111,177,245)")}
    for on, colours in expected.items():
        browser.dark(on)
        deadline = time.monotonic() + 10  # the page draws again when it has been told
        while (seen := _colours(browser)) != colours and time.monotonic() < deadline:
            time.sleep(0.05)
        assert seen == colours
    browser.dark(False)


def _colours(browser) -> tuple[str, str]:
    """Of the page, and of a turn in its first graph."""
    return (
        browser.js("return getComputedStyle(document.body).backgroundColor"),
        browser.js("return memorai.panels[0].drawing.cy.nodes('.turn')[0].style('background-color')"),
    )


def test_no_request_is_made_but_for_the_file(chromium, tmp_path):
    path = write_page(tmp_path / "page.html", explained("demo-en:q0", "memorai"))
    chromium.open(path)
    chromium.all(".ranked > li button")[0].click()
    set_damping(chromium, 0, 0.5)
    assert chromium.requests() == [path.as_uri()]
    assert chromium.driver.get_log("browser") == []
    # the policy holds even against a script of the page's own
    blocked = "fetch('https://example.org/').then(() => arguments[0](false), () => arguments[0](true))"
    assert chromium.driver.execute_async_script(blocked) is True
    chromium.driver.get_log("browser")


def test_a_system_without_a_walk_stands_beside_one_with(chromium, tmp_path):
    made = explained("demo-en:q0", "bm25", "memorai")
    chromium.open(write_page(tmp_path / "page.html", made))
    assert [(id_, score) for id_, score, _ in listed(chromium, 0)] == [(r.id, r.score) for r in made[0].ranked]
    assert len(chromium.all(".controls")) == 1 and "does not walk" in chromium.all(".note")[0].text
    chromium.all(".ranked > li button")[0].click()
    assert made[0].nodes[made[0].ranked[0].node].text in chromium.all(".detail")[0].text


def test_texts_are_shown_and_not_run(chromium, tmp_path):
    nasty = "<img src=x onerror=\"document.title='run'\"></script><script>document.title='run'</script> 你好"
    with Memory.open(tmp_path / "m", embedder="hashing") as memory:
        memory.add([{"role": "user", "content": nasty, "id": "<b>1</b>"}])
        memory.explain("img <b>onerror</b> 你好", tmp_path / "page.html")
    chromium.open(tmp_path / "page.html")
    assert listed(chromium, 0)[0][0] == "<b>1</b>" and listed(chromium, 0)[0][2] == nasty
    assert chromium.driver.title == "img <b>onerror</b> 你好"
    assert chromium.all("img, b") == []


def test_a_stored_memory_is_explained(chromium, tmp_path):
    with Memory.open(tmp_path / "m", embedder="hashing") as memory:
        for turn in load_demo().conversations[0].turns[:60]:
            memory.add(turn)
        question = "Where does Theo work?"
        found = memory.explain(question, tmp_path / "page.html")
        results = memory.search(question)
    chromium.open(tmp_path / "page.html")
    assert [id_ for id_, *_ in listed(chromium, 0)] == [r.id for r in results]
    check_walk(chromium, 0, found, found.walk.damping, "static")
    set_damping(chromium, 0, 0.2)
    check_ranking(listed(chromium, 0), found.rerank(0.2), texts_of(found))


@pytest.mark.data
def test_a_multi_hop_question_of_locomo(chromium, tmp_path):
    import os

    folder = os.environ.get("MEMORAI_DATA")
    if folder is None:
        pytest.skip("MEMORAI_DATA is not set")
    dataset = load_dataset("locomo", f"dataset.path={folder}/locomo/locomo10.json")
    conversation = dataset.conversations[0]
    question = next(q for q in conversation.questions if q.category == "multi_hop" and len(q.evidence) > 1)
    made = [explain(name, load_system(name, *QUICK), conversation, question) for name in ("memorai", "memorai_plus")]
    assert len(made[1].shown) == 500 < len(made[1].nodes)
    chromium.open(write_page(tmp_path / "page.html", made))
    assert chromium.driver.get_log("browser") == []
    for panel, found in enumerate(made):
        assert chromium.js("return memorai.panels[arguments[0]].drawing.drawn.size", panel) == len(found.shown)
        assert [(id_, score) for id_, score, _ in listed(chromium, panel)] == [(r.id, r.score) for r in found.ranked]
        check_walk(chromium, panel, found, found.walk.damping, found.walk.scheme)
        set_damping(chromium, panel, 0.5)
        check_ranking(listed(chromium, panel), found.rerank(0.5), texts_of(found))
