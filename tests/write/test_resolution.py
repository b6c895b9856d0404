from memorai.write.extraction import Extraction, Mention, RelationMention
from memorai.write.resolution import Decision, Resolution, apply

FOUND = Extraction(
    (
        Mention("mel", "Mel", "1"),
        Mention("melanie", "Melanie", "1", 2.0),
        Mention("tea", "tea", "1"),
        Mention("tea", "tea", "2"),
    ),
    (RelationMention("mel", "likes", "tea", ("1", "2")), RelationMention("mel", "is", "melanie", ("1",))),
)
MERGE = Decision("alias", "mel", "melanie", "Melanie")
SPLIT = Decision("split", "tea", "tea of bob", "Bob's tea", ("2",))


def test_a_merge_unites_mentions_and_drops_relations_to_itself():
    assert apply(FOUND, [MERGE]) == Extraction(
        (Mention("melanie", "Melanie", "1", 2.0), Mention("tea", "tea", "1"), Mention("tea", "tea", "2")),
        (RelationMention("melanie", "likes", "tea", ("1", "2")),),
    )


def test_a_split_divides_relations_by_their_turns():
    found = apply(FOUND, [SPLIT])
    assert [(m.key, m.name) for m in found.mentions if m.turn_id == "2"] == [("tea of bob", "Bob's tea")]
    assert [(r.target, r.turn_ids) for r in found.relations if r.text == "likes"] == [
        ("tea", ("1",)),
        ("tea of bob", ("2",)),
    ]


def test_decisions_chain_and_a_circle_ends():
    chain = [MERGE, Decision("form", "melanie", "m", "M")]
    assert {m.key for m in apply(FOUND, chain).mentions} == {"m", "tea"}
    circle = [MERGE, Decision("form", "melanie", "mel", "Mel")]
    assert len({m.key for m in apply(FOUND, circle).mentions} - {"tea"}) == 2


def test_undo_gives_back_what_was():
    both = Resolution(FOUND, (SPLIT, MERGE))
    assert both.undo().extraction == FOUND
    assert both.undo(MERGE) == Resolution(FOUND, (SPLIT,))
    assert both.undo(SPLIT).extraction == apply(FOUND, [MERGE])
    assert both.undo(SPLIT, MERGE).extraction == FOUND


def test_descriptions_follow_merges_and_leave_splits():
    extraction = Extraction(
        (Mention("mel", "Mel", "t1"), Mention("melanie", "Melanie", "t2"), Mention("sister", "sister", "t1")),
        descriptions={"mel": "Mel: a painter.", "sister": "sister: lives in Rome."},
    )
    merge = Decision("alias", "mel", "melanie", "Melanie")
    split = Decision("owner", "sister", "ann's sister", "Ann's sister", ("t1",))
    assert apply(extraction, [merge, split]).descriptions == {"melanie": "Mel: a painter."}
