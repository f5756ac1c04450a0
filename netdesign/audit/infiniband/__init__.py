"""What the InfiniBand tools print: ibnetdiscover, iblinkinfo, ibdiagnet."""

from netdesign.audit.infiniband.ibdiagnet import IBDIAGNET
from netdesign.audit.infiniband.iblinkinfo import IBLINKINFO
from netdesign.audit.infiniband.ibnetdiscover import IBNETDISCOVER
from netdesign.audit.kind import Kind

KINDS: tuple[Kind, ...] = (IBNETDISCOVER, IBLINKINFO, IBDIAGNET)
