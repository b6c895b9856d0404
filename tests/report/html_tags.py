"""What an HTML parser sees in a page of ours."""

from __future__ import annotations

from html.parser import HTMLParser


class Tags(HTMLParser):
    """The elements of a page with their attributes, and the text of its data element."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.data = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.found and self.found[-1] == ("script", {"type": "application/json", "id": "data"}):
            self.data = self.data or data

    @property
    def names(self) -> list[str]:
        return [tag for tag, _ in self.found]
