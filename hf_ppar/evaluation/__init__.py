"""The court: who judges an anonymizer, how the judges are trained, and the report."""

from .budget import BUDGETS, Budget, find_budget
from .case import PROTOCOLS, Case
from .measure import Number
from .protocols import evaluate
from .report import Report, read_report

__all__ = ["BUDGETS", "PROTOCOLS", "Budget", "Case", "Number", "Report", "evaluate", "find_budget", "read_report"]
