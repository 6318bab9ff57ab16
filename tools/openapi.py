"""Write the OpenAPI document of the HTTP API, without a server: `python -m tools.openapi > openapi.json`."""

import json
import sys

from memsieve.api.app import create_app
from memsieve.config import Settings

if __name__ == "__main__":
    json.dump(create_app(Settings()).openapi(), sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
