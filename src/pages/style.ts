/** System fonts, light and dark colours, one column that fits 320 px, and a contrast of at least 4.5:1. */
export const style = `
:root { color-scheme: light dark; --ink: #1a1c20; --quiet: #555b66; --ground: #f5f6f8; --card: #fff; --line: #d5d9e0;
  --act: #0b5cad; --on-act: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #f2f3f5; --quiet: #b4bac4; --ground: #16181c; --card: #22252b;
  --line: #3b404a; --act: #7cb8ff; --on-act: #0b1a2b } }
* { box-sizing: border-box; margin: 0 }
body { min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 28rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere }
h1 { font-size: 1.375rem; line-height: 1.25 }
h1:focus { outline: 0 }
* + p, dl { margin: .75rem 0 }
p.quiet { margin: 1.25rem 0 .25rem }
p.quiet + p { margin-top: 0 }
:not(:has(~ :not([hidden]))) { margin-bottom: 0 }
dl { display: grid; gap: .75rem }
dt, .quiet { color: var(--quiet); font-size: .875rem }
code { font: .9375em/1.5 ui-monospace, monospace }
.notice { margin-bottom: 1rem; padding: .75rem; border: 1px solid; border-radius: .5rem }
.reference { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .625rem 1rem; border: 1px solid var(--act);
  border-radius: .5rem; background: var(--act); color: var(--on-act); font: inherit; font-weight: 600; line-height: 1.25;
  text-align: center; text-decoration: none; cursor: pointer }
.second, .small { background: none; color: var(--act) }
.small { width: auto; min-height: 2rem; padding: .25rem .75rem; font-size: .875rem }
button:disabled { border-color: var(--line); background: none; color: var(--quiet); cursor: not-allowed }
a { color: var(--act) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
[hidden] { display: none }
@media (min-width: 26rem) { dl div { display: grid; grid-template-columns: 8rem 1fr; align-items: baseline } }
`
