from __future__ import annotations

from memorai.report.published_systems import published_entries, published_table


def test_every_figure_has_a_source_a_definition_and_who_said_it():
    entries = published_entries()
    assert {entry["system"] for entry in entries} >= {
        "MemORAI",
        "MemGAS",
        "HydraDB",
        "Supermemory",
        "Mem0",
        "Zep",
        "MemOS",
    }
    for entry in entries:
        assert all(entry.values()) and None not in entry, entry
        assert 0 < float(entry["value"]) < 100
        assert entry["source"].startswith(("arXiv ", "https://"))


def test_a_protocol_of_a_data_set_shares_its_figures_and_an_unknown_one_has_none():
    assert published_table("locomo_lmeb") == published_table("locomo") is not None
    assert published_table("demo") is None
