// The table beside every picture: sorted, filtered and drawn only as far as it is visible.

import { type Child, h, id } from "./dom.ts";
import { counted, number } from "./text.ts";

export interface Column<Row> {
  label: string;
  /** The width as a track of a CSS grid. */
  width: string;
  text(row: Row): string;
  /** The number to sort by. It also aligns the column to the right. */
  value?(row: Row): number;
  /** The content of a cell, if it is more than text. */
  cell?(row: Row): Child;
  /** Whether to leave out the column in a narrow window. */
  extra?: boolean;
}

export interface TableOptions<Row> {
  label: string;
  /** The noun for a row, in the singular. */
  noun: string;
  columns: Column<Row>[];
  rows: Row[];
  /** The column that the rows are initially sorted by, with the largest number first. By default, they keep their order. */
  sort?: number;
  select?(row: Row): void;
  /** Whether arrow keys also move between cells, and Enter follows the link of a cell. */
  links?: boolean;
  /** Whether filters outside the table keep the row. When they change, call `arrange`. */
  keep?(row: Row): boolean;
  /** The text that the filter searches, if it is more than the text of the cells. */
  words?(row: Row): string;
  /** The table has a filter if it has more rows than this. */
  filterAbove?: number;
  /** What the table says if it has no rows. */
  empty?: string;
}

const HEIGHT = 30;
const MARGIN = 8;

export class Table<Row> {
  readonly element: HTMLElement;
  private readonly grid: HTMLElement;
  private readonly body: HTMLElement;
  private readonly status = h("output", { role: "status" });
  private readonly filter: HTMLInputElement;
  private readonly name = id("row");
  private shown: Row[] = [];
  private active = -1;
  private column = 0;
  private sorted: number;
  private descending = true;
  private heads: HTMLElement[] = [];
  private texts = new Map<Row, string>();

  constructor(private readonly options: TableOptions<Row>) {
    this.sorted = options.sort ?? -1;
    this.filter = h("input", { type: "search", autocomplete: "off", spellcheck: "false", input: () => this.arrange() });
    this.heads = options.columns.map((column, at) => this.head(column, at));
    this.body = h("div", { role: "rowgroup", class: "rows" });
    this.grid = h(
      "div",
      {
        role: "grid",
        class: "grid",
        tabindex: "0",
        "aria-label": options.label,
        "aria-colcount": options.columns.length,
        keydown: (event: KeyboardEvent) => this.key(event),
        scroll: () => this.draw(),
        focus: () => this.active < 0 && this.shown.length > 0 && this.activate(0, false),
      },
      h("div", { role: "rowgroup", class: "heads" }, h("div", { role: "row", "aria-rowindex": 1, class: "row" }, ...this.heads)),
      this.body,
    );
    const tracks = (columns: Column<Row>[]) => columns.map((column) => column.width).join(" ");
    this.grid.style.setProperty("--tracks", tracks(options.columns));
    this.grid.style.setProperty("--few-tracks", tracks(options.columns.filter((column) => !column.extra)));
    const bar = h("div", { class: "bar" }, h("label", { class: "field" }, `Filter ${options.label.toLowerCase()}`, this.filter), this.status);
    this.element = h("div", { class: "table" }, bar, this.grid);
    this.setRows(options.rows);
    new ResizeObserver(() => this.draw()).observe(this.grid);
  }

  setRows(rows: Row[]): void {
    this.options.rows = rows;
    this.texts.clear();
    this.filter.value = "";
    this.element.classList.toggle("unfiltered", rows.length <= (this.options.filterAbove ?? 12));
    this.active = -1;
    this.grid.scrollTop = 0;
    this.arrange();
  }

  /** Selects a row without calling `select`, and removes a filter that hides it. */
  show(row: Row, column = 0): void {
    this.column = column;
    if (!this.shown.includes(row) && this.options.rows.includes(row)) {
      this.filter.value = "";
      this.arrange();
    }
    this.activate(this.shown.indexOf(row), false);
  }

  focus(): void {
    this.grid.focus();
  }

  private head(column: Column<Row>, at: number): HTMLElement {
    const sort = () => {
      this.descending = this.sorted === at ? !this.descending : column.value !== undefined;
      this.sorted = at;
      this.arrange();
    };
    const press = h("button", { type: "button", click: sort }, column.label);
    return h("div", { role: "columnheader", class: classes(column) }, press);
  }

  /** Filters and sorts the rows again. */
  arrange(): void {
    const kept = this.shown[this.active];
    const { rows, columns } = this.options;
    const wanted = this.filter.value.trim().toLowerCase();
    const { keep = () => true } = this.options;
    this.shown = rows.filter((row) => keep(row) && (wanted === "" || this.words(row).includes(wanted)));
    const column = columns[this.sorted];
    if (column) {
      const direction = this.descending ? -1 : 1;
      const { value } = column;
      const compare = value
        ? (a: Row, b: Row) => value(a) - value(b)
        : (a: Row, b: Row) => column.text(a).localeCompare(column.text(b), "en");
      this.shown.sort((a, b) => direction * compare(a, b));
    }
    this.heads.forEach((head, at) => {
      const order = this.descending ? "descending" : "ascending";
      head.setAttribute("aria-sort", at === this.sorted ? order : "none");
    });
    const { noun, empty } = this.options;
    const all = counted(rows.length, noun);
    this.status.textContent = rows.length === 0 ? (empty ?? `no ${noun}s`) : this.shown.length === rows.length ? all : `${number(this.shown.length)} of ${all}`;
    this.grid.hidden = rows.length === 0;
    this.grid.setAttribute("aria-rowcount", String(this.shown.length + 1));
    this.body.style.height = `${this.shown.length * HEIGHT}px`;
    this.active = kept === undefined ? -1 : this.shown.indexOf(kept);
    this.draw();
  }

  private words(row: Row): string {
    let words = this.texts.get(row);
    if (words === undefined) {
      words = this.options.words?.(row) ?? this.options.columns.map((column) => column.text(row)).join("\n");
      this.texts.set(row, (words = words.toLowerCase()));
    }
    return words;
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.grid.scrollTop / HEIGHT) - MARGIN);
    const last = Math.min(this.shown.length, first + Math.ceil((this.grid.clientHeight || 400) / HEIGHT) + 2 * MARGIN);
    const drawn = [];
    for (let at = first; at < last; at += 1) drawn.push(this.row(at));
    this.body.replaceChildren(...drawn);
    if (this.active >= first && this.active < last) this.grid.setAttribute("aria-activedescendant", this.options.links ? this.cellId(this.active, this.column) : `${this.name}-${this.active}`);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  private row(at: number): HTMLElement {
    const row = this.shown[at] as Row;
    const { columns, links } = this.options;
    const cells = columns.map((column, number) => {
      const text = column.text(row);
      const isAt = links && at === this.active && number === this.column;
      return h("div", { role: links && number === 0 ? "rowheader" : "gridcell", id: links ? this.cellId(at, number) : undefined, class: `${classes(column)}${isAt ? " at" : ""}`, title: text }, column.cell ? column.cell(row) : text);
    });
    const made = h(
      "div",
      {
        role: "row",
        id: `${this.name}-${at}`,
        class: "row",
        "aria-rowindex": at + 2,
        "aria-selected": at === this.active ? "true" : "false",
        click: () => this.activate(at, true),
      },
      ...cells,
    );
    made.style.top = `${at * HEIGHT}px`;
    return made;
  }

  private cellId(row: number, column: number): string {
    return `${this.name}-${row}-${column}`;
  }

  private activate(at: number, tell: boolean): void {
    this.active = at;
    if (at >= 0) {
      const top = at * HEIGHT;
      const room = this.grid.clientHeight - HEIGHT;
      if (top < this.grid.scrollTop) this.grid.scrollTop = top;
      else if (top + HEIGHT > this.grid.scrollTop + room) this.grid.scrollTop = top + HEIGHT - room;
    }
    this.draw();
    if (tell && at >= 0) this.options.select?.(this.shown[at] as Row);
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.grid || event.altKey || event.metaKey) return;
    if (this.options.links && !event.ctrlKey && this.shown.length > 0) {
      const end = this.options.columns.length - 1;
      const sideways: Record<string, number> = { ArrowLeft: Math.max(0, this.column - 1), ArrowRight: Math.min(end, this.column + 1), Home: 0, End: end };
      const column = Object.hasOwn(sideways, event.key) ? sideways[event.key] : undefined;
      if (column !== undefined) {
        event.preventDefault();
        this.column = column;
        this.draw();
        return document.getElementById(this.cellId(this.active, column))?.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
      if (event.key === "Enter") document.getElementById(this.cellId(this.active, this.column))?.querySelector("a")?.click();
    }
    const page = Math.max(1, Math.floor(this.grid.clientHeight / HEIGHT) - 2);
    const last = this.shown.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: last,
      Enter: this.active,
      " ": this.active,
    };
    const next = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (next === undefined || last < 0) return;
    event.preventDefault();
    this.activate(Math.max(0, Math.min(last, next)), true);
  }
}

function classes<Row>(column: Column<Row>): string {
  return [column.value ? "right" : "", column.extra ? "extra" : ""].filter(Boolean).join(" ");
}
