"""The words and sentence patterns of `reviews`. Upper-case words are slots, all others stand as they are."""

NEGATED_SHARE = 0.35

# Slots that are empty, or a negator in a negated clause.
NEGATED = ("NOT_BE", "NOT_DO")
NEGATORS = {
    "NOT_BE": ("not", "never", "hardly", "n't", "far from", "anything but"),
    "NOT_DO": ("did not", "did n't", "never", "hardly", "could not"),
}

# (negative, positive) words of each opinion slot.
OPINIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ADJ": (
        (
            "dull",
            "clumsy",
            "tedious",
            "bland",
            "lifeless",
            "awful",
            "shallow",
            "muddled",
            "tiresome",
            "bad",
            "predictable",
            "hollow",
            "dreadful",
            "weak",
            "forgettable",
            "grating",
            "stale",
            "poor",
        ),
        (
            "charming",
            "gripping",
            "brilliant",
            "moving",
            "fresh",
            "witty",
            "superb",
            "elegant",
            "lovely",
            "good",
            "inventive",
            "tender",
            "wonderful",
            "strong",
            "memorable",
            "vivid",
            "clever",
            "great",
        ),
    ),
    "ENJOY": (
        ("hate", "regret", "dislike", "resent", "endure"),
        ("enjoy", "love", "admire", "adore", "savour"),
    ),
    "JOB": (
        ("mess", "failure", "bore", "disaster", "letdown", "chore"),
        ("triumph", "delight", "joy", "gem", "treat", "success"),
    ),
}

NEUTRAL: dict[str, tuple[str, ...]] = {
    "ASPECT": ("plot", "acting", "script", "music", "pacing", "ending", "dialogue", "camera work", "cast",
               "story", "editing", "first half", "last act", "lead role", "set design", "direction"),
    "FILM": ("film", "movie", "picture", "drama", "comedy", "thriller", "western", "remake", "documentary"),
    "OTHER": ("my brother", "my sister", "the critics", "a friend", "my neighbour", "the local paper",
              "our guide", "the man behind us", "half the audience", "my old teacher"),
    "SAID": ("called it", "found it", "considers it", "thought it", "said it was", "swears it is"),
    "THING": ("summer", "garden", "winter", "harbour", "stranger", "island", "letter", "journey", "orchard"),
    "VERY": ("really", "quite", "truly", "simply", "rather", "plainly"),
    "WHEN": ("last night", "on sunday", "with my family", "at a small cinema", "on a long flight",
             "in the end", "after a week", "twice this month"),
    "FACT": ("it runs for two hours", "it was shot in lisbon", "the director also wrote it",
             "it opens on a train", "the tickets were cheap", "the room was half empty",
             "it was made for television", "the hero is a baker", "we sat near the back"),
    "DENIAL": ("i did not read the book", "we never saw the trailer", "it is not a long film",
               "it was not shot in colour", "i do n't know the studio", "there is hardly any violence"),
    "BUT": ("but", "yet", "still ,", "however ,"),
}  # fmt: skip

VERDICTS = (
    "the ASPECT is NOT_BE ADJ",
    "the ASPECT is NOT_BE VERY ADJ",
    "it is NOT_BE a ADJ FILM",
    "as a whole this FILM is NOT_BE ADJ",
    "to me the ASPECT was NOT_BE ADJ",
    "i found the ASPECT VERY ADJ",
    "i found the FILM ADJ from start to finish",
    "what a ADJ FILM",
    "what a VERY ADJ piece of work",
    "i NOT_DO ENJOY this FILM",
    "i NOT_DO ENJOY the ASPECT",
    "we NOT_DO VERY ENJOY the ASPECT",
    "i would say the FILM is NOT_BE ADJ",
    "for my money it is NOT_BE a JOB",
    "the FILM turned out to be a JOB",
    "the ASPECT alone makes it a JOB",
    "in my view the ASPECT was NOT_BE ADJ",
    "the result is NOT_BE ADJ",
)

DISTRACTORS: dict[str, tuple[str, ...]] = {
    "REPORT": (
        "OTHER SAID ADJ",
        "OTHER SAID VERY ADJ",
        "OTHER seemed to ENJOY it",
        "according to OTHER it is NOT_BE ADJ",
        "OTHER told me the ASPECT was NOT_BE ADJ",
        "OTHER SAID a JOB",
    ),
    "CONCEDE": (
        "despite the ADJ ASPECT",
        "although the ASPECT is NOT_BE ADJ",
        "even if the ASPECT was NOT_BE ADJ",
        "for all its ADJ ASPECT",
        "while the ASPECT may seem ADJ",
        "in spite of a VERY ADJ ASPECT",
    ),
    "TITLE": (
        'the FILM is called " the ADJ THING "',
        'it is the sequel to " a ADJ THING "',
        'the novel " ADJ THING " came first',
        'we watched " the THING of JOB " WHEN',
    ),
    "HOPE": (
        "i had expected a ADJ FILM",
        "the poster promised a ADJ FILM",
        "i was told to expect a JOB",
        "i had hoped for a ADJ FILM",
        "people say you either ENJOY it or leave",
    ),
    "ASIDE": ("FACT", "DENIAL", "FACT and DENIAL", "we saw it WHEN", "i watched it WHEN and DENIAL"),
    "LINK": ("BUT",),
}

FRAMES = (
    "VERDICT , ASIDE .",
    "ASIDE . VERDICT .",
    "ASIDE , and VERDICT . ASIDE .",
    "REPORT , LINK VERDICT .",
    "REPORT . VERDICT . ASIDE .",
    "VERDICT . REPORT .",
    "VERDICT , though REPORT .",
    "CONCEDE , VERDICT .",
    "ASIDE . CONCEDE , VERDICT .",
    "VERDICT , CONCEDE .",
    "TITLE . VERDICT .",
    "TITLE , and VERDICT . ASIDE .",
    "VERDICT . TITLE .",
    "HOPE . VERDICT .",
    "HOPE , LINK VERDICT .",
    "ASIDE . HOPE , LINK VERDICT .",
    "REPORT and HOPE , LINK VERDICT .",
    "TITLE . REPORT , LINK VERDICT .",
    "TITLE . CONCEDE , VERDICT .",
    "VERDICT , CONCEDE . REPORT .",
    "HOPE . CONCEDE , VERDICT . ASIDE .",
)
