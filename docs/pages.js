// Keep options, ids and short links in one piece, and break paths and long names only after `/`, `::` and, in very long ones, `.`:
// browsers break text after every hyphen, and anywhere if a word does not fit. A phone has room for 36 characters, or 18 in a heading.
const isValue = (text) => /^([0-9a-f]{2} ?){2,8}$|^\[[\d, ]{1,24}\]$/.test(text);
const whole = (word, room) => (word.includes("-") && word.length <= room ? `<span class="word">${word}</span>` : word);
for (const code of document.querySelectorAll("main :not(pre) > code:not(:has(*))")) {
    const [short, room] = code.closest("h1, h2") ? [18, 18] : [24, 36];
    code.classList.toggle("word", isValue(code.textContent));
    code.innerHTML = code.innerHTML.replace(/\S+/g, (word) =>
        (word.length <= short ? [word] : word.split(word.length <= 36 || word.includes("/") ? /(?<=\/|::)/ : /(?<=::|\.)/))
            .map((part) => whole(part, room))
            .join("<wbr>"),
    );
}
for (const link of document.querySelectorAll("main a:not(.header)")) {
    link.classList.toggle("word", /^\S{1,24}$/.test(link.textContent));
}

// Turn a table that is wider than the page into a list of its rows, and on a phone also one with more than four lines in a cell. If
// it has more than two columns, the cells get labels.
const wrappers = [...document.querySelectorAll(".table-wrapper")];
function misfit(wrapper) {
    const tall = (cell) => wrapper.clientWidth < 600 && cell.clientHeight > 4 * parseFloat(getComputedStyle(cell).fontSize) * 1.5;
    return wrapper.scrollWidth > wrapper.clientWidth || [...wrapper.querySelectorAll("td")].some(tall);
}
function fitTables() {
    // Measure all tables before the first change, because each change costs a layout.
    wrappers.forEach((wrapper) => wrapper.classList.remove("rows"));
    wrappers.filter(misfit).forEach((wrapper) => wrapper.classList.add("rows"));
}

for (const table of document.querySelectorAll(".table-wrapper > table")) {
    const heads = [...table.querySelectorAll("th")].map((head) => head.textContent);
    for (const cell of heads.length > 2 ? table.querySelectorAll("td") : []) {
        if (heads[cell.cellIndex]) cell.dataset.label = heads[cell.cellIndex];
    }
}
fitTables();
document.fonts.ready.then(fitTables);
window.addEventListener("resize", fitTables);

// The sidebar lists the headings of the page, but not its rules.
document.addEventListener("DOMContentLoaded", () => {
    for (const link of document.querySelectorAll(".on-this-page a")) {
        if (/^[a-z]+(-[a-z0-9]+)+$/.test(link.textContent)) link.closest("li").remove();
    }
});
