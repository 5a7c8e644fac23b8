import { Html } from '../http/html.ts'

/** The style of the page: system fonts, light and dark colours, widths from 320 pixels. */
export const style = new Html(`
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --ground: #ffffff; --raised: #f3f5f7; --line: #d0d7de; --accent: #0a58b8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --quiet: #a3abb5; --ground: #14171b; --raised: #1e2329; --line: #363d46; --accent: #7ab7ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2rem 0 0.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 0.35rem; overflow-wrap: anywhere; }
small { color: var(--quiet); font-size: 0.85rem; font-weight: normal; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; }
nav a { padding: 0.25rem 0; }
dl { margin: 0; }
dl > div { display: grid; grid-template-columns: 9rem 1fr auto; gap: 0 1rem; align-items: start; padding: 0.3rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--quiet); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
code, pre, td { font-family: ui-monospace, monospace; font-size: 0.875rem; }
pre { margin: 0; padding: 0.75rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
button { min-width: 4.75rem; padding: 0.15rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--raised); color: var(--accent); font: 0.85rem/1.5 system-ui, sans-serif; cursor: pointer; }
.example { display: grid; grid-template-columns: 1fr auto; gap: 0.35rem 1rem; align-items: end; margin-top: 1.25rem; }
.example h3 { margin: 0; }
.example pre { grid-column: 1 / -1; }
[role=status] { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.scroll { overflow-x: auto; margin: 0.5rem 0; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.6rem; }
td { white-space: nowrap; }
td:is([data-head=Path], [data-head=Content], [data-head^=Host], [data-head=Bindings], [data-head=Fault]) { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
th { font-size: 0.85rem; color: var(--quiet); background: var(--raised); }
tbody tr + tr > td { border-top: 1px solid var(--line); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 40rem) {
  dl > div { grid-template-columns: 1fr auto; }
  dt { grid-column: 1 / -1; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tbody tr + tr { border-top: 1px solid var(--line); }
  tbody tr + tr > td { border-top: 0; }
  td { display: grid; grid-template-columns: 5rem 1fr; padding: 0.15rem 0.6rem; white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-head); color: var(--quiet); font-family: system-ui, sans-serif; }
}
`)
