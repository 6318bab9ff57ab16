"""One error tree. Every message says what happened and what to do next.

MemsieveError
├── InvalidInput         the caller sent something memsieve cannot keep
├── NotFound             no such entry, insight or memory in this project
├── Conflict             the request disagrees with what is stored
├── Forbidden            the role that asks has no right to it
│   └── ApprovalRequired only a named person may write long-term memory
├── ConfigError          a setting is missing or wrong
├── StoreUnavailable     the store did not answer; a retry may help
├── StoreCorrupt         the store's file is damaged; a retry will not help
├── SchemaOutdated       the database and this version of memsieve differ
├── EmbedderError        no vector could be made
├── JudgeError           the judge gave no usable verdict, or a model no usable summary
└── KnowledgeBaseError   a file of a knowledge base is not as it must be; `file` and `line` say where
"""


class MemsieveError(Exception):
    """The root of every error memsieve raises on purpose.

    `public` says it without naming a file, a host or a URL: agents read it. Whoever raises one that names such a place
    gives it.
    """

    def __init__(self, message: str = "", *, public: str | None = None) -> None:
        super().__init__(message)
        self.public = message if public is None else public


class InvalidInput(MemsieveError):
    """The caller sent something memsieve cannot keep; `field` names it."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class NotFound(MemsieveError):
    """No such thing in this project; `subject` is the id that was asked for."""

    def __init__(self, message: str, *, subject: str) -> None:
        super().__init__(message)
        self.subject = subject


class Conflict(MemsieveError):
    """The request disagrees with what is stored."""


class Forbidden(MemsieveError):
    """The role that asks has no right to it."""


class ApprovalRequired(Forbidden):
    """Only a named person may write long-term memory."""


class ConfigError(MemsieveError):
    """A setting is missing or wrong."""


class StoreUnavailable(MemsieveError):
    """The store did not answer; a retry may help."""


class StoreCorrupt(MemsieveError):
    """The store's file is damaged; a retry will not help."""


class SchemaOutdated(MemsieveError):
    """The database and this version of memsieve do not fit together."""


class EmbedderError(MemsieveError):
    """No vector could be made."""


class JudgeError(MemsieveError):
    """The judge gave no usable verdict, or a model no usable summary."""


class KnowledgeBaseError(MemsieveError):
    """A file of a knowledge base is not as it must be; `file` and `line` say where, `problem` what and what to do."""

    def __init__(self, problem: str, *, file: object = None, line: int | None = None) -> None:
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        super().__init__(f"{place}{problem}", public=problem)
        self.problem = problem
        self.file = None if file is None else str(file)
        self.line = line

    @property
    def reason(self) -> str:
        """What is wrong, for who names the file already."""
        return self.problem if self.line is None else f"Line {self.line}: {self.problem}"
