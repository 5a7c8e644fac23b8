import json
import sys

import jwt

cases = json.load(open(sys.argv[1]))
keys = jwt.PyJWKSet.from_dict(cases["jwks"])
for token in cases["tokens"]:
    try:
        key = keys[jwt.get_unverified_header(token)["kid"]]
        jwt.decode(token, key, algorithms=["ES256"], audience=cases["audience"], issuer=cases["issuer"])
        print("accept")
    except (jwt.PyJWTError, KeyError):
        print("refuse")
