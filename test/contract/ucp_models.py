"""Validates UCP documents with the models of the package ucp-sdk.

Standard input has one JSON document per line: {"model": "module:Class", "body": ...}. Standard output has one
line per document: "ok", or the first error.
"""

import importlib
import json
import sys

from pydantic import ValidationError

for line in sys.stdin:
    document = json.loads(line)
    module, name = document["model"].split(":")
    model = getattr(importlib.import_module(f"ucp_sdk.models.schemas.{module}"), name)
    try:
        model.model_validate(document["body"])
        print("ok")
    except ValidationError as error:
        first = error.errors()[0]
        print(f"{document['model']} {first['loc']} {first['msg']}".replace("\n", " "))
