# The order of a tensor, under the name that it has from 4.8 on.
from cutlass.utils.layout import LayoutEnum
