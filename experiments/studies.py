"""The cells of Tutek & Snajder's tables and the studies around them, each in its own folder."""

import dataclasses
import pathlib
from collections.abc import Sequence

from tqdm import tqdm

from attn_jax import programs
from attn_jax.data.load import spec_of
from attn_jax.errors import UserError
from attn_jax.results import tutek_snajder
from experiments import ablation, imitate, initialisation, paired, regularised, subject, variants
from experiments.request import Request
from experiments.strengths import USUAL, Strengths

Place = tuple[str, str, int]  # variant, attention, layers


@dataclasses.dataclass(frozen=True)
class Options:
    """What the command line says beside the data set and the places in its grid."""

    out: pathlib.Path
    seeds: tuple[int, ...]
    strengths: Strengths = USUAL

    def folder(self, name: str) -> pathlib.Path:
        """Where a run of this name lies; the name of a user's own corpus holds a slash."""
        return self.out / name.replace("/", "-")


def run(request: Request, places: Sequence[Place], options: Options, study: str) -> None:
    """One data set: every place in the grid under the tests of the tables, or one of the studies."""
    for variant, _, _ in places:
        variants.named(variant)
    if spec_of(request.dataset, "tutek_snajder").kind != "single":
        raise UserError(
            f"{request.dataset} has two texts an instance; Tutek & Snajder's tests are for one: "
            "choose sst, 20news, agnews, imdb or reviews."
        )
    found = subject.loaded(request, "tutek_snajder")
    if study == "initialisation":
        _initialisation(found, options)
        return
    made = []
    for variant, attention, layers in tqdm(places, desc=request.dataset, unit="cell"):
        cell, folder = _cell(found, variant, attention, layers, options)
        done = regularised.run(cell, folder)
        if study == "imitation":
            imitate.run(cell, done, folder.with_name(f"{folder.name}-imitation"))
        made.append(folder)
        programs.forget_if_many()
    paired.run(options.out, made)


def _cell(
    found: subject.Loaded, variant: str, attention: str, layers: int, options: Options
) -> tuple[regularised.Cell, pathlib.Path]:
    caveat, strength = "", None
    if variants.named(variant).grid:
        strength, caveat = _strength(found, variant, attention, options)
    cell = regularised.cell(
        found,
        variant,
        attention,
        layers=layers,
        strength=strength,
        seeds=options.seeds,
        caveat=caveat,
    )
    return cell, options.folder(cell.key.name)


def _strength(found: subject.Loaded, variant: str, attention: str, options: Options) -> tuple[float, str]:
    """The strength given or chosen on dev, and what a record must say of it."""
    asked = options.strengths
    if asked.strength is not None:
        return asked.strength, f"strength {asked.strength:g} given, not chosen on dev"
    key = tutek_snajder.Cell(found.spec.name, attention, variant, probe=found.request.variant)
    name = f"{key.name}-ablation"
    if asked.chosen_in:
        strength, after = ablation.recorded(asked.chosen_in, name)
        return strength, f"strength chosen after {after}" if after else ""
    epochs = asked.ablation_epochs or found.epochs
    strength = ablation.chosen(
        found, variant, attention, options.folder(name), seeds=asked.seeds, epochs=epochs
    )
    shorter = epochs != found.epochs
    return strength, f"strength chosen after {epochs} of {found.epochs} epochs" if shorter else ""


def _initialisation(found: subject.Loaded, options: Options) -> None:
    for start in initialisation.STARTS:
        cell = regularised.cell(found, "base", start, seeds=options.seeds)
        initialisation.run(cell, options.folder(f"{cell.key.name}-initialisation"))
