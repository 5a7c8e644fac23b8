/** System fonts, light and dark colours, a contrast of at least 4.5:1, and widths from 320 px. */
export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1a1c20, #f2f3f5); --quiet: light-dark(#555b66, #b4bac4);
  --ground: light-dark(#f5f6f8, #16181c); --card: light-dark(#fff, #22252b); --line: light-dark(#d5d9e0, #3b404a);
  --act: light-dark(#0b5cad, #7cb8ff); --on-act: light-dark(#fff, #0b1a2b); --good: light-dark(#176639, #7fdca4);
  --bad: light-dark(#a8231b, #ff9d94) }
* { box-sizing: border-box; margin: 0 }
body { background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
.column { display: grid; grid-template-rows: 1fr auto; gap: 1rem }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; max-width: 76rem; margin: 0 auto; padding: 1rem }
section > * + *, #address > ul { margin-top: .625rem }
section > h2 + p { margin-top: .125rem }
section { padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem }
h1 { font-size: 1.25rem; line-height: 1.25; font-weight: 600 }
h2 { font-size: 1.0625rem; line-height: 1.25 }
ul, ol { list-style: none; padding: 0 }
.quiet, dt, th { color: var(--quiet); font-size: .875rem; font-weight: 400 }
code, .address, dd, td { font-family: ui-monospace, monospace }
code, dd, td { font-size: .875rem }
.address { font-size: clamp(1.75rem, 9vw, 3.5rem); font-weight: 600; line-height: 1.1 }
.good { color: var(--good) }
.bad { color: var(--bad) }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem }
#state { padding: .5rem 1.25rem; border-left: 4px solid var(--act); background: var(--card) }
button, .button { display: inline-block; min-height: 2.5rem; padding: .4375rem 1rem; border: 1px solid var(--act);
  border-radius: .5rem; background: none; color: var(--act); font: inherit; font-weight: 600; line-height: 1.5;
  text-decoration: none; cursor: pointer }
.button, button.first { background: var(--act); color: var(--on-act) }
a { color: var(--act) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
.rounds { margin: .75rem .75rem 0; border-left: 2px solid var(--line) }
.rounds li { position: relative; padding: 0 0 .75rem 1.25rem }
.rounds li::before { content: ''; position: absolute; left: -.4375rem; top: .4375rem; width: .75rem; height: .75rem;
  border: 2px solid var(--card); border-radius: 50%; background: var(--quiet) }
.rounds .updated::before { background: var(--act) }
.rounds .failed::before { background: var(--bad) }
.rounds li:first-child { animation: arrive .4s ease-out }
@keyframes arrive { from { opacity: 0 } }
.scroll { max-height: 26rem; overflow: auto; border: 1px solid var(--line); border-radius: .5rem }
.badge { display: inline-block; padding: 0 .5rem; border: 1px solid; border-radius: 1rem; color: var(--quiet);
  font: .75rem/1.5 system-ui, sans-serif; white-space: nowrap }
.badge.action { color: var(--good); font-weight: 600 }
.badge.Pulumi { color: var(--act) }
dl > div { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; align-items: baseline; padding: .3125rem 0 }
dl > div + div { border-top: 1px solid var(--line) }
dd:nth-child(2) { grid-row: 2; grid-column: 1 / -1 }
details { margin-top: .5rem; padding: .375rem .75rem; border: 1px solid var(--line); border-radius: .5rem }
summary { cursor: pointer }
table { width: 100%; border-collapse: collapse }
th, td { padding: .3125rem .75rem; text-align: left; white-space: nowrap }
th { position: sticky; top: 0; background: var(--card) }
tbody tr { border-top: 1px solid var(--line) }
td:nth-child(5) { min-width: 20rem; white-space: normal }
@media (max-width: 39.99rem) {
  :is(th, td):is(:nth-child(1), :nth-child(2), :nth-child(6)) { display: none }
  td:nth-child(5) { min-width: 0 }
}
@media (min-width: 40rem) {
  dl > div { grid-template-columns: 8.5rem minmax(0, 1fr) auto }
  dd:nth-child(2) { grid-row: auto; grid-column: auto }
}
@media (min-width: 60rem) {
  main { grid-template-columns: repeat(2, minmax(0, 1fr)); padding: 1.5rem }
  #address { display: flex; flex-wrap: wrap; align-items: center; gap: 0 3rem }
  .wide { grid-column: 1 / -1 }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
`
