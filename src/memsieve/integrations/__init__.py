from memsieve.integrations.failures import Failure
from memsieve.integrations.plain import remembered
from memsieve.integrations.recorder import Recorder
from memsieve.integrations.said import Said

__all__ = ["Failure", "Recorder", "Said", "remembered"]
