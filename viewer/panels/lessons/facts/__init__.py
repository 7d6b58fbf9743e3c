"""The facts (numbers) that lesson texts can name, computed on this machine when shown."""

from collections.abc import Iterable, Iterator, Mapping

from wheatstone.gpu import Unavailable
from wheatstone.gpu.parameters import did_you_mean
from wheatstone.viewer.panels.lessons.facts.general import FILTERS, GENERAL, STEREO
from wheatstone.viewer.panels.lessons.facts.kernels import KERNELS
from wheatstone.viewer.panels.lessons.facts.subject import Fact, FactSubject, Unknown, check_word
from wheatstone.viewer.panels.lessons.wording import NO_GPU, FactCall

FACTS: Mapping[str, Fact] = {**GENERAL, **STEREO, **FILTERS, **KERNELS}  # every fact by its name


def check_fact(call: FactCall) -> None:
    """Raise ``ValueError`` unless lessons can name a fact with this name and these arguments."""
    fact = FACTS.get(call.name)
    if not fact:
        raise ValueError(f"there is no fact {call.name!r}{did_you_mean(call.name, FACTS)}")
    many = fact.takes[-1:] == ("LABEL",)
    wrong = len(call.words) < len(fact.takes) if many else len(call.words) != len(fact.takes)
    if wrong:
        wants = " ".join(fact.takes) or "no words"
        raise ValueError(f"{call.name} takes {wants} (got {' '.join(call.words) or 'none'})")
    for kind, word in zip(fact.takes, call.words, strict=False):
        check_word(kind, word)


def on_gpu(call: FactCall, about: FactSubject) -> bool:
    """Return whether a lesson's fact must be computed on the GPU, on the thread for GPU work."""
    if not FACTS[call.name].runs:
        return False
    known = {variant.name: variant for variant in about.pipeline.variants}
    asked = [known[word] for word in call.words if word in known]
    return any(variant.on_gpu and about.runs(variant.name) for variant in asked)


def find_out(calls: Iterable[FactCall], about: FactSubject) -> Iterator[tuple[FactCall, str]]:
    """Compute facts for a lesson; yield each as text, or the reason why it is unavailable."""
    for call in calls:
        yield call, _text_of(call, about)


def _text_of(call: FactCall, about: FactSubject) -> str:
    try:
        return str(FACTS[call.name].tell(about, *call.words))
    except Unknown as reason:
        return str(reason)
    except Unavailable:
        return NO_GPU
    except (ValueError, MemoryError) as reason:  # such as a variant that refuses the parameters
        return f"({reason})"
