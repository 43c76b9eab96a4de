import json
import re
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "heaviest"}), flush=True)
    elif message["type"] == "act":
        pips = [sum(map(int, re.findall(r"\d+", move["text"].split(">")[0]))) for move in message["legal"]]
        print(json.dumps({"type": "move", "id": message["id"], "index": pips.index(max(pips))}), flush=True)
