"""Small faults put into source code: each mutant is the file with one of them."""

import ast
import collections
import copy
import dataclasses
from collections.abc import Iterator

BINARY = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARED = {  # the boundary moved, and the opposite
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
SWAPPED = {"maximum": "minimum", "max": "min", "argmax": "argmin", "any": "all"}
SWAPPED |= {new: old for old, new in SWAPPED.items()}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One fault. Its text, `what` and `nth` name it, wherever in the file its line may move."""

    line: int
    text: str  # of that line
    what: str  # old -> new
    nth: int  # of those that read alike, in lines that read alike, from 1
    source: str


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a module; annotations, decorators and text are left alone."""
    found, tree = [], ast.parse(source)
    lines, alike = source.splitlines(), collections.Counter()
    for number, node in enumerate(_nodes(tree)):
        for choice, new in enumerate(_altered(node)):
            changed = copy.deepcopy(tree)
            target = list(_nodes(changed))[number]
            fault = list(_altered(target))[choice]
            text = ast.unparse(_Replace(target, fault).visit(changed))
            line, what = lines[node.lineno - 1].strip(), f"{ast.unparse(node)} -> {ast.unparse(new)}"
            alike[line, what] += 1
            found.append(Mutant(node.lineno, line, what, alike[line, what], text))
    return found


class _Replace(ast.NodeTransformer):
    def __init__(self, target: ast.expr, new: ast.expr):
        self._target, self._new = target, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._target else super().generic_visit(node)


def _nodes(node: ast.AST) -> Iterator[ast.expr]:
    """Expressions in which a fault changes what is computed, in the order of the text."""
    skipped = {"annotation", "returns", "decorator_list", "bases"}
    if isinstance(node, ast.expr):
        yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if name not in skipped and isinstance(child, ast.AST):
                yield from _nodes(child)


def _altered(node: ast.expr) -> Iterator[ast.expr]:
    """What the expression may become."""
    match node:
        case ast.BinOp(left, op, right) if type(op) in BINARY:
            yield ast.BinOp(left, BINARY[type(op)](), right)
        case ast.Compare(left, [op], right):
            yield from (ast.Compare(left, [new()], right) for new in COMPARED.get(type(op), ()))
        case ast.UnaryOp(ast.Not() | ast.Invert() | ast.USub(), operand):
            yield operand
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.IfExp(test, body, other):
            yield ast.IfExp(test, other, body)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.Call(ast.Attribute(attr="where") as where, [test, one, other]):
            yield ast.Call(where, [test, other, one], [])
        case ast.Attribute(owner, attr) if attr in SWAPPED:
            yield ast.Attribute(owner, SWAPPED[attr], ast.Load())
