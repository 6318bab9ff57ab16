from memsieve.integrations.plain import remembered
from memsieve.integrations.record_request import RecordRequest
from memsieve.integrations.recorder import Failure, Recorder

__all__ = ["Failure", "RecordRequest", "Recorder", "remembered"]
