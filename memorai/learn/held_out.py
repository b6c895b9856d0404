"""The learned gate without what it could have memorised: to measure what a gate trained on such talk would do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memorai.errors import InputError
from memorai.learn.gate import GateTrainer, label, labelled_conversations, leave_out
from memorai.models.embedders import Embedder
from memorai.types import Dataset, Turn
from memorai.write.extraction import Segment
from memorai.write.gate import turns_of


class HeldOutGate:
    """Scores the turns of each conversation by a gate that was trained on other conversations of the data set.

    With no more conversations than folds this is leave-one-conversation-out. It is for measuring only, for it knows no
    conversation but those of the data set that it learned. Where the embedder does not know the language every turn is
    kept, as by `memorai.write.gate_model.LearnedGate`.

    Args:
        embedder: for the turns.
        text_format: what the embedder sees of a turn.
        trainer: chooses penalty, calibration and threshold inside each fold's training conversations.
        previous_vectors: the vector of the turn before is an input.
        folds: of whole conversations.
    """

    name = "loco"
    #: of scores that are shifted so that every fold's own threshold comes to lie here
    threshold = 0.5

    def __init__(
        self,
        embedder: Embedder,
        text_format: Callable[[Turn], str],
        trainer: GateTrainer,
        previous_vectors: bool = True,
        folds: int = 10,
    ) -> None:
        self.embedder, self.text_format = embedder, text_format
        self.trainer, self.previous_vectors, self.folds = trainer, previous_vectors, folds
        self._scores: dict[frozenset[Turn], Mapping[str, float]] = {}

    def learn(self, dataset: Dataset) -> None:
        """Train a gate a fold, and score each conversation by the one that has not seen it.

        Raises:
            InputError: too few conversations, or none with evidence in a language that the embedder knows.
        """
        data = label(dataset, self.embedder, self.text_format, self.previous_vectors)
        n_vector = self.embedder.dim * (2 if self.previous_vectors else 1)
        p, kept = leave_out(data, self.trainer, self.embedder.name, n_vector, self.previous_vectors, self.folds)
        # each fold has a threshold of its own: [threshold, 1] goes to [0.5, 1], what lies below to [0, 0.5)
        scores = (p + kept) / 2
        for number, conversation in enumerate(labelled_conversations(dataset, self.embedder)):
            own = scores[data.group == number]
            ids = (turn.id for turn in conversation.turns)
            self._scores[frozenset(conversation.turns)] = dict(zip(ids, map(float, own), strict=True))

    def score(self, segments: Sequence[Segment], language: str = "en") -> Mapping[str, float]:
        """Return the scores of a conversation of the data set by turn id.

        Raises:
            InputError: not such a conversation.
        """
        turns = turns_of(segments)
        if self.embedder.languages is not None and language not in self.embedder.languages:
            return {turn.id: 1.0 for turn in turns}
        found = self._scores.get(frozenset(turns))
        if found is None:
            raise InputError("gate=loco: scores only whole conversations of the data set that it has learned")
        return found
