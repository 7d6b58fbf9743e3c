"""Make the table of the facts that lessons can name, from their declarations."""

from wheatstone.viewer.lessons.facts import FACTS


def fact_table() -> str:
    """Write a table of all facts, with the words that each takes."""
    head = "| Fact | What it is |\n| --- | --- |\n"
    rows = (
        f"| `{{{' '.join((name, *fact.takes))}}}` | {fact.help[0].upper()}{fact.help[1:]}. |"
        for name, fact in FACTS.items()
    )
    return head + "\n".join(rows)
