const send = (message) => console.log(JSON.stringify(message));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    send({ type: "hello", protocol: 1, name: "own train" });
  } else if (message.type === "act") {
    const own = message.legal.findIndex((move) => move.text.endsWith(`> P${message.view.seat}`));
    send({ type: "move", id: message.id, index: Math.max(own, 0) });
  }
});
