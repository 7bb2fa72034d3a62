"""What each paper is called in words."""

NAMES = {
    "jain_wallace_2019": "Jain & Wallace (2019)",
    "tutek_snajder_2020": "Tutek & Šnajder (2020)",
    "vashishth_2019": "Vashishth et al. (2019)",
}


def name(paper: str, table: str = "") -> str:
    """Jain & Wallace (2019), Table 2; an unknown paper by its key."""
    where = table.replace("table", "Table ").replace("figure", "Figure ")
    return ", ".join(filter(None, (NAMES.get(paper, paper), where)))
