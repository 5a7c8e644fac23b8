import json
import sys

import jwt

from documented import verify

for token in json.load(open(sys.argv[1]))["tokens"]:
    try:
        verify(token)
        print("accept")
    except jwt.PyJWTError:
        print("refuse")
