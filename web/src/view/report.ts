// The script of `inspect --format html` and `diff --format html`: shows the data that the page contains.

import "../style/viewer.css";

import { h } from "./dom.ts";
import type { Shown } from "./model.ts";
import { schemeButton, show } from "./show.ts";

const app = document.querySelector("#app");
const data = document.querySelector("#data");
app?.append(h("main", {}, schemeButton(), show(JSON.parse(data?.textContent ?? "") as Shown)));
