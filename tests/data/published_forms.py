"""A few rows of every published corpus, in the form it is published in, written by us."""

import json

LONG = "a really rather long sentence that passes every filter we have {}"
SPLITS = ("train", "dev", "test")
SIDES = ("en", "de")


def _lines(pattern="{0}", count=20):
    return "".join(pattern.format(LONG.format(i), i % 2) + "\n" for i in range(count))


def _jsonl(rows):
    return "\n".join(map(json.dumps, rows))


def _nli(count=20):
    names = ["neutral", "contradiction", "entailment", "-"]
    return _jsonl(
        {"sentence1": f"p {i}", "sentence2": "h", "gold_label": names[i % 4], "pairID": i}
        for i in range(count)
    )


def _question(i):
    return f"url\n\n@entity{i} saw @entity5 in {i}\n\nwho saw @placeholder\n\n@entity{i}\n\n@entity{i}:X\n"


def _notes(count=20):
    header = "ROW_ID,HADM_ID,CATEGORY,DESCRIPTION,ISERROR,TEXT\n"
    return header + "\n".join(f'{i},{i},Discharge summary,Report,,"line one\nline {i}"' for i in range(count))


def _codes(first, second, count=20):
    return "HADM_ID,ICD9_CODE\n" + "".join(f'{i},"{(first, second)[i % 2]}"\n' for i in range(count))


def _story(first, count=20):
    names = ("Mary", "John")
    return "".join(
        f"1 {names[i % 2]} went to room {'x' * (first + i)}y.\n2 Where is {names[i % 2]}? \toffice\t1\n"
        for i in range(count)
    )


def _babi(name, folder=""):
    return {f"{folder}{name}_train.txt": _story(0), f"{folder}{name}_test.txt": _story(100)}


def _imdb():
    places = [(part, label) for part in ("train", "test") for label in ("neg", "pos")]
    return {f"aclImdb/{part}/{label}/{i}_7.txt": LONG for part, label in places for i in range(10)}


def _newsgroups():
    places = [(part, group) for part in ("train", "test") for group in ("baseball", "hockey")]
    post = f"From: x\n\n{LONG}"
    return {f"20news-bydate-{part}/rec.sport.{group}/{i}": post for part, group in places for i in range(10)}


def _agnews():
    rows = ("World words {}", "Sport words {}", "Business words {}")
    train = "".join(f'"{i % 3 + 1}","title","{rows[i % 3].format("x" * i)}"\n' for i in range(30))
    return {"train.csv": train, "test.csv": '"1","title","one"\n"3","title","two"\n"4","title","three"\n'}


def _eraser():
    row = json.dumps({"annotation_id": "d.txt", "classification": "NEG", "evidences": []})
    return {**{f"movies/{part}.jsonl": row for part in ("train", "val", "test")}, "movies/docs/d.txt": LONG}


TREE = "(3 {0})\n(1 {0})\n(2 {0})\n".format(" ".join(f"(2 {word})" for word in LONG.split()))
STARS = ({"review_id": str(i), "stars": i % 5 + 1.0, "text": LONG} for i in range(20))
CNN_PARTS = ("training", "validation", "test")
MULTI30K = [f"{part}.lc.norm.tok" for part in ("train", "val", "test_2016_flickr")]
WMT13 = ["europarl-v7.de-en", "commoncrawl.de-en", "news-commentary-v8.de-en", "newstest2012", "newstest2013"]

# Name of the corpus -> name of the file -> content.
FORMS = {
    "sst": {f"trees_{part}.txt": TREE for part in SPLITS},
    "imdb": _imdb(),
    "20news": _newsgroups(),
    "agnews": _agnews(),
    "adr": {"adr.tsv": _lines("{0}\t{1}")},
    "diabetes": {"NOTEEVENTS.csv.gz": _notes(), "DIAGNOSES_ICD.csv.gz": _codes("25000", "4019")},
    "anemia": {"NOTEEVENTS.csv": _notes(), "DIAGNOSES_ICD.csv": _codes("2851", "28521")},
    "cnn": {f"cnn/questions/{part}/{i}.question": _question(i) for part in CNN_PARTS for i in range(3)},
    "babi1": _babi("qa1_single-supporting-fact", "en-10k/"),
    "babi2": _babi("qa2_two-supporting-facts"),
    "babi3": _babi("qa3_three-supporting-facts"),
    "snli": {f"snli_1.0/snli_1.0_{part}.jsonl": _nli() for part in SPLITS},
    "yelp": {"yelp_academic_dataset_review.json": _jsonl(STARS)},
    "yelp_polarity": {f"sentiment.{part}.{label}": _lines() for part in SPLITS for label in (0, 1)},
    "multinli": {f"multinli_1.0_{part}.jsonl": _nli(40) for part in ("train", "dev_matched")},
    "multi30k": {f"{stem}.{side}": _lines() for stem in MULTI30K for side in SIDES},
    "news_commentary": {f"news-commentary-v11.de-en.{side}": _lines(count=200) for side in SIDES},
    "wmt13": {f"{stem}.{side}": _lines() + "\n" for stem in WMT13 for side in SIDES},
    "eraser_movies": _eraser(),
}

# Train, dev and test after the filters and splits.
SIZES = {
    "sst": (2, 2, 2),
    "imdb": (16, 4, 4),
    "20news": (26, 6, 8),
    "agnews": (17, 3, 2),
    "adr": (14, 2, 4),
    "diabetes": (14, 2, 4),
    "anemia": (14, 2, 4),
    "cnn": (3, 3, 3),
    "babi1": (17, 3, 20),
    "babi2": (17, 3, 20),
    "babi3": (17, 3, 20),
    "snli": (15, 15, 15),
    "yelp": (14, 2, 4),
    "yelp_polarity": (40, 40, 40),
    "multinli": (28, 2, 30),
    "multi30k": (20, 20, 20),
    "news_commentary": (192, 4, 4),
    "wmt13": (60, 20, 20),
    "eraser_movies": (1, 1, 1),
}
