"""The dashboard in a real browser sorts by number, shows the values of results.json, and runs nothing it is told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memorai.report.dashboard.html import write_dashboard
from memorai.report.manifest import sanitise
from memorai.report.results import Results, Timing
from tests.report.dashboard.made_runs import HOSTILE, MEASURES, hostile, manifest, rows_of, sweep

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return sweep(tmp_path_factory.mktemp("runs") / "sweep")


@pytest.fixture
def page(chromium, folder, tmp_path):
    chromium.open(write_dashboard(tmp_path / "page.html", [folder]))
    yield chromium
    assert chromium.driver.get_log("browser") == []


def column(browser, table: str, name: str) -> list[str]:
    """The exact values that stand in a column, from top to bottom."""
    return browser.js(
        "const table = document.querySelector(`#${arguments[0]} table`);"
        "const names = [...table.tHead.rows[0].cells].map((c) => c.querySelector('button').firstChild.data);"
        "const at = names.indexOf(arguments[1]);"
        "return [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.value ?? null)",
        *(table, name),
    )


def header(browser, table: str, name: str):
    return next(
        button
        for button in browser.all(f"#{table} thead button")
        if browser.js("return arguments[0].firstChild.data", button) == name
    )


def click(browser, table: str, name: str) -> None:
    button = header(browser, table, name)
    browser.js("arguments[0].scrollIntoView()", button)  # as a link or the focus does: clear of the controls
    button.click()


def state(browser, table: str, name: str) -> str:
    return browser.js("return arguments[0].parentElement.getAttribute('aria-sort')", header(browser, table, name))


def choose(browser, name: str, value: str) -> None:
    browser.js(
        "const choice = document.getElementById(arguments[0]); choice.value = arguments[1];"
        "if (choice.value !== arguments[1]) throw new Error('no such choice');"
        "choice.dispatchEvent(new Event('change'))",
        *(name, value),
    )


def expected(folder, measure: int, category: str) -> dict[tuple[str, str], tuple[float, float, float, int]]:
    metric, unit, k = MEASURES[measure]
    return {
        (row.system, row.variant): (row.value, row.lo, row.hi, row.n)
        for job in "01"
        for row in Results.read(folder / job).rows
        if (row.metric, row.unit, row.k, row.category) == (metric, unit, k, category)
    }


def test_nothing_is_asked_of_the_network(page):
    assert [url for url in page.requests() if not url.startswith("file:")] == []


def test_a_click_on_a_header_orders_rows_by_number(page):
    # as texts 0.095 would come before 0.3 by luck, but 9.5 after 10.5
    click(page, "timings-table", "p50 ms")
    assert column(page, "timings-table", "p50 ms") == ["10.5", "9.5"]
    assert state(page, "timings-table", "p50 ms") == "descending"
    click(page, "timings-table", "p50 ms")
    assert column(page, "timings-table", "p50 ms") == ["9.5", "10.5"]
    assert state(page, "timings-table", "p50 ms") == "ascending"
    assert "ascending" in page.all("[role=status]")[0].get_attribute("textContent")
    click(page, "systems-table", "weighted")
    assert [float(v) for v in column(page, "systems-table", "weighted")] == [1.0, 0.41, 0.3, 0.095]
    assert column(page, "systems-table", "system") == ["oracle", "memorai", "bm25", "memorai"]


def test_a_keyboard_does_the_same(page):
    from selenium.webdriver.common.keys import Keys

    button = header(page, "systems-table", "weighted")
    button.send_keys(Keys.ENTER)
    button.send_keys(Keys.SPACE)
    assert [float(v) for v in column(page, "systems-table", "weighted")] == [0.095, 0.3, 0.41, 1.0]
    assert page.js("return document.activeElement === arguments[0]", button)


def test_rows_without_a_value_come_last_both_ways(page):
    for _ in range(2):
        click(page, "systems-table", "variant")
        assert column(page, "systems-table", "variant")[2:] == ["", ""]


def test_the_choice_of_a_measure_fills_the_tables_with_its_values(page, folder):
    for place, (metric, unit, k) in enumerate(MEASURES):
        choose(page, "choose-unit", unit)
        choose(page, "choose-metric", metric)
        choose(page, "choose-k", str(k))
        for category in ("weighted", "多跳"):
            choose(page, "choose-category", category_place(page, category))
            wanted = expected(folder, place, category)
            keys = zip(column(page, "systems-table", "system"), column(page, "systems-table", "variant"), strict=True)
            numbers = zip(
                *(map(float, column(page, "systems-table", f"{category}{part}")) for part in ("", " 95 %", " n")),
                strict=True,
            )
            shown = dict(zip(keys, numbers, strict=True))
            assert shown == {key: (value, lo, n) for key, (value, lo, _, n) in wanted.items()}
            bars = [float(bar.get_attribute("data-value")) for bar in page.all("#plots .bar")]
            assert bars == pytest.approx(sorted((100 * value for value, *_ in wanted.values()), reverse=True))
        for category in ("easy", "macro"):
            found = column(page, "categories-table", category)
            assert sorted(map(float, found)) == sorted(
                value for value, *_ in expected(folder, place, category).values()
            )


def category_place(browser, name: str) -> str:
    return browser.js("return String(memorai.page.data.categories.indexOf(arguments[0]))", name)


def test_values_are_printed_with_interval_and_n(page):
    cells = [cell.text for cell in page.all("#systems-table tbody tr:nth-child(2) td")]
    assert cells == [
        "damping=0.3",
        "embedder mini",
        "0",
        "41.00",
        "[39.00, 44.00]",
        "40",
        "40.90",
        "[38.90, 43.90]",
        "39",
    ]
    category = page.all("#categories-table tbody tr:nth-child(2) td")[-1].text
    assert category == "40.70 [38.70, 43.70] n=37"


def test_a_swept_parameter_is_a_line_with_its_interval(page):
    marks = [float(mark.get_attribute("data-value")) for mark in page.all("#plots .series .mark")]
    assert marks == pytest.approx([41, 9.5])
    assert len(page.all("#plots .band")) == 1 and len(page.all("#plots .level")) == 2  # bm25 and the oracle have none


def test_two_swept_parameters_are_a_heat_map(chromium, tmp_path):
    grid = {("0.15", "a"): 0.1, ("0.3", "a"): 0.2, ("0.15", "b"): 0.3, ("0.3", "b"): 0.4}
    base = rows_of("0.3")[0]
    rows = [replace(base, variant=f"damping={x},seeds={y}", value=v) for (x, y), v in grid.items()]
    Results(manifest(0.3), rows).write(tmp_path / "run")
    chromium.open(write_dashboard(tmp_path / "page.html", [tmp_path / "run"]))
    cells = {
        cell.find_element("css selector", "title").get_attribute("textContent").split(": ")[0]: float(
            cell.get_attribute("data-value")
        )
        for cell in chromium.all("#plots .cell")
    }
    assert cells == {f"memorai, damping={x}, seeds={y}": 100 * v for (x, y), v in grid.items()}
    assert chromium.driver.get_log("browser") == []


def test_counts_are_printed_in_full(page):
    click(page, "costs-table", "run")
    texts = [cell.text for cell in page.all("#costs-table tbody tr:first-child td")]
    assert texts == ["memorai", "gate", "100", "123456", "9", "3", "2.5", "1"]


def test_the_configurations_differ_in_the_keys_shown(page):
    assert column(page, "config-table", "key") == ["systems.memorai.damping"]
    assert [column(page, "config-table", run) for run in "01"] == [["0.3"], ["0.7"]]
    page.all("#turned")[0].click()
    assert column(page, "config-table", "systems.memorai.damping") == ["0.3", "0.7"]


def test_failures_and_missed_questions_are_listed(page):
    assert column(page, "failures-table", "error") == ["ValueError: no"]
    assert [item.text for item in page.all(".unfinished li")] == ["sweep/2"]
    assert column(page, "missed-table", "question") == ["q1"]  # by every run
    choose(page, "missed-run", "1")
    assert column(page, "missed-table", "question") == ["q2", "q1"]
    assert column(page, "missed-table", "best R@10") == ["0", "50"]


def test_the_filter_leaves_the_lines_that_it_names(page):
    page.all("#filter")[0].send_keys("BM2")
    assert column(page, "systems-table", "system") == ["bm25"] and len(page.all("#plots .bar")) == 1
    assert page.all("#timings-table") == []


def test_what_is_named_by_an_enemy_is_text(chromium, tmp_path):
    chromium.open(write_dashboard(tmp_path / "page.html", [hostile(tmp_path / "run")]))
    assert chromium.driver.get_log("browser") == [] and chromium.requests()[1:] == []
    assert chromium.js("return window.hit ?? null") is None and chromium.all("img") == []
    assert column(chromium, "systems-table", "system") == [HOSTILE]
    for table, name in (("missed-table", "question"), ("timings-table", "stage"), ("costs-table", "system")):
        assert set(column(chromium, table, name)) == {HOSTILE}
    # free text is cut as in a manifest, where a slash starts a path
    assert set(column(chromium, "failures-table", "error")) == {sanitise(HOSTILE)}
    assert sanitise(HOSTILE) in chromium.all(".notes")[0].get_attribute("textContent")
    click(chromium, "systems-table", "system")
    assert chromium.driver.get_log("browser") == [] and chromium.js("return window.hit ?? null") is None


def test_many_rows_are_made_when_asked_for(chromium, tmp_path):
    rows = rows_of("0.3")[:1]
    Results(manifest(0.3), rows, [Timing("memorai", f"s{i}", i, i, 1) for i in range(700)]).write(tmp_path / "run")
    chromium.open(write_dashboard(tmp_path / "page.html", [tmp_path / "run"]))
    click(chromium, "timings-table", "p50 ms")
    assert column(chromium, "timings-table", "p50 ms") == [str(i) for i in range(699, 399, -1)]
    rest = chromium.all("#timings-table .rest")[0]
    assert rest.text == "show all 700 rows"
    rest.click()
    assert len(column(chromium, "timings-table", "p50 ms")) == 700 and not rest.is_displayed()


def test_everything_that_can_be_used_has_a_name_and_tells_apart_in_the_dark(page):
    unnamed = page.js(
        "return [...document.querySelectorAll('input, select, button, svg[role=img], [role=region], section')]"
        ".filter((e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim()"
        " || (e.labels && e.labels.length && e.labels[0].textContent.trim()))).map((e) => e.outerHTML.slice(0, 80))"
    )
    assert unnamed == []
    colours = []
    for on in (False, True):
        page.dark(on)
        colours.append(page.js("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"))
    page.dark(False)
    assert colours[0] != colours[1] and all(text != back for text, back in colours)


def test_the_page_prints_without_its_controls(page):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = page.js("return [...document.querySelectorAll('#choices, nav')].map((e) => getComputedStyle(e).display)")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == ["none", "none"] or set(shown) == {"none"}


def test_data_can_be_read_by_other_programs(page):
    data = json.loads(page.js("return document.getElementById('data').textContent"))
    assert data["runs"] == ["0", "1"]
