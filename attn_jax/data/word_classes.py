"""Closed word classes by list: what can be said of a token's part of speech without a tagger.

Mohankumar et al. (2020) sort attention by part-of-speech tags. No corpus here has tags, so tokens are only
told into marks, numbers, function words (closed classes of English, listed) and the rest.
"""

_DETERMINERS = "a an the this that these those some any each every no all both either neither"
_PRONOUNS = (
    "i you he she it we they me him us them my your his her its our their myself yourself himself herself "
    "itself ourselves themselves who whom whose which what there here"
)
_PREPOSITIONS = (
    "of in on at by for with about against between into through during before after above below to from up "
    "down out off over under again than as"
)
_CONJUNCTIONS = "and but or nor so yet if because while although though until unless since where when"
_AUXILIARIES = (
    "am is are was were be been being have has had having do does did doing will would shall should can "
    "could may might must not n't 's 'm 're 've 'll 'd"
)
FUNCTION = frozenset(" ".join((_DETERMINERS, _PRONOUNS, _PREPOSITIONS, _CONJUNCTIONS, _AUXILIARIES)).split())
CLASSES = ("mark", "number", "function", "content")


def word_class(token: str) -> str:
    """One of `CLASSES`."""
    if token.lower() in FUNCTION:
        return "function"
    if not any(letter.isalnum() for letter in token):
        return "mark"
    return "number" if token == "qqq" or any(letter.isdigit() for letter in token) else "content"
