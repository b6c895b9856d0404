from memorai.write.chunks import Span
from memorai.write.nested import NestedPhrases


def span(key, name=None, proper=False):
    return Span(0, 1, key, name or key, proper)


LONG = span("adopt agenc interview")


def test_the_longest_phrase_inside_that_stands_alone():
    nested = NestedPhrases()
    nested.replace(0, [], [LONG])
    assert nested.expand([LONG]) == [LONG]
    had = nested.replace(1, [], [span("adopt agenc", "Adoption agency"), span("agenc", "agency")])
    assert list(nested.around(had)) == [0]
    assert [s.name for s in nested.expand([LONG])] == [LONG.name, "Adoption agency"]
    had = nested.replace(2, [], [span("adopt agenc", "adoption agency")])  # the latest form is shown
    assert list(nested.around(had)) == [0]
    assert nested.form("adopt agenc") == "adoption agency"
    had = nested.replace(2, [span("adopt agenc", "adoption agency")], [])
    assert list(nested.around(had)) == [0] and nested.form("adopt agenc") == "Adoption agency"
    had = nested.replace(3, [], [span("adopt agenc", "Adoption agency")])
    assert list(nested.around(had)) == []


def test_heads_stand_at_the_end_and_names_hold_nothing():
    nested = NestedPhrases()
    nested.replace(0, [], [span("a b"), span("b c"), span("x y", proper=True)])
    assert [s.key for s in nested.expand([span("a b c"), span("x y z")])] == ["a b c", "b c", "x y z"]
    assert [s.key for s in nested.expand([span("a b c", proper=True)])] == ["a b c"]
