// What a browser measures on the page: the layout, and the contrast of texts.

({
  layout: () => {
    const problems = [];
    const visible = (node) => { const box = node.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
    const name = (node) => node.id || node.getAttribute("aria-label") || node.className || node.textContent.slice(0, 20);
    if (document.documentElement.scrollWidth > innerWidth + 1) problems.push(`the page is ${document.documentElement.scrollWidth} wide in a window of ${innerWidth}`);
    for (const node of document.querySelectorAll("button, a, select, input, summary")) {
      if (!visible(node) || node.classList.contains("cover-row") || node.closest("[hidden]")) continue;
      const box = (node.matches("input[type=radio], input[type=checkbox]") ? node.closest("label") : node).getBoundingClientRect();
      if (box.height < 43.5 || box.width < 43.5) problems.push(`${name(node)} is ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`);
    }
    for (const word of document.querySelectorAll(".word")) if (visible(word) && word.getBBox().width > 80) problems.push(`the word ${word.textContent} does not fit its band`);
    const log = document.getElementById("log");
    if (log && visible(log) && log.scrollTop + log.clientHeight < log.scrollHeight - 2) problems.push("the newest of what happened is out of sight");
    const odd = document.body.innerText.match(/\b(null|undefined|NaN)\b/);
    if (odd) problems.push(`the page says ${odd[0]}`);
    for (const row of document.querySelectorAll(".row")) {
      const end = row.querySelector(".end").getBoundingClientRect();
      const track = row.querySelector(".track").getBoundingClientRect();
      if (end.left < track.left || end.right > track.right + .5) problems.push(`the end of ${name(row)} is out of sight`);
      if (end.top < row.getBoundingClientRect().top - 1 || end.bottom > row.getBoundingClientRect().bottom + 1) problems.push(`the end of ${name(row)} sticks out`);
      if (row.querySelector(".end").scrollWidth > row.querySelector(".end").clientWidth) problems.push(`the end of ${name(row)} does not fit its circle`);
      const newest = [...row.querySelectorAll(".piece")].pop()?.getBoundingClientRect();
      if (newest && (newest.left < track.left || newest.right > track.right)) problems.push(`the newest tile of ${name(row)} is out of sight`);
      const shown = row.querySelector(".name");
      if (shown.scrollWidth > shown.clientWidth + 1) problems.push(`the name in ${name(row)} is cut off`);
      for (const piece of row.querySelectorAll(".piece")) {
        const box = piece.getBoundingClientRect(), at = row.getBoundingClientRect();
        if (box.top < at.top - 2 || box.bottom > at.bottom + 2) problems.push(`a tile sticks out of ${name(row)}`);
      }
    }
    const apart = (nodes, what) => {
      const boxes = [...nodes].filter(visible).map((node) => [name(node), node.getBoundingClientRect()]);
      for (let i = 0; i < boxes.length; i += 1) for (let j = i + 1; j < boxes.length; j += 1) {
        const [a, p] = boxes[i], [b, q] = boxes[j];
        const w = Math.min(p.right, q.right) - Math.max(p.left, q.left), h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (w > 1 && h > 1) problems.push(`${what}: ${a} and ${b} overlap by ${w.toFixed(0)} x ${h.toFixed(0)}`);
      }
    };
    apart(document.querySelectorAll(".row"), "rows");
    apart(document.querySelectorAll(".in-hand"), "hand");
    apart(document.querySelectorAll("#actions > *, #chooser > *"), "buttons");
    for (const row of document.querySelectorAll(".row")) apart(row.querySelectorAll(".piece, .end, .start, .mark, .blocker"), "a track");
    if (innerWidth > 760) apart(document.querySelectorAll("#table, #player, #aside"), "areas");
    for (const shown of document.querySelectorAll(".who")) apart(shown.querySelectorAll(".name, .meta, .open-mark"), "a name");
    return problems;
  },

  contrast: () => {
    const channel = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
    const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
    const parse = (text) => { const found = text.match(/[\d.]+/g).map(Number); return found.length === 3 ? [...found, 1] : found; };
    const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
    const behind = (node) => {
      const layers = [];
      for (let at = node; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        const image = style.backgroundImage.match(/rgba?\([^)]+\)/g);
        const colour = parse(style.backgroundColor);
        if (colour[3] > 0) layers.push(colour);
        else if (image && !at.matches(".track")) layers.push(parse(image[at.tagName === "HEADER" ? image.length - 2 : 0]));
        if (layers.length && layers[layers.length - 1][3] === 1) break;
      }
      return layers.reverse().reduce((under, top) => over(top, under), [29, 91, 74]);
    };
    const problems = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode.parentElement;
      if (!walker.currentNode.textContent.trim() || node.closest("svg, script, noscript, .unseen, option") || !node.checkVisibility()) continue;
      const back = behind(node), front = over(parse(getComputedStyle(node).color), back);
      const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
      const ratio = (a + .05) / (b + .05);
      if (ratio < 4.5) problems.push(`${walker.currentNode.textContent.trim().slice(0, 30)} (${node.className}) ${ratio.toFixed(2)}`);
    }
    return [...new Set(problems)];
  },
})
