/** System fonts, light and dark colours, one column that fits 320 px, and a contrast of at least 4.5:1. */
export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1a1c20, #f2f3f5); --quiet: light-dark(#555b66, #b4bac4);
  --ground: light-dark(#f5f6f8, #16181c); --card: light-dark(#fff, #22252b); --line: light-dark(#d5d9e0, #3b404a);
  --act: light-dark(#0b5cad, #7cb8ff); --on-act: light-dark(#fff, #0b1a2b) }
* { box-sizing: border-box; margin: 0 }
body { min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 28rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere }
h1 { font-size: 1.375rem; line-height: 1.25 }
h1:focus { outline: 0 }
* + p, dl { margin: .5rem 0 1rem }
:last-child { margin-bottom: 0 }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem }
dt, .quiet { color: var(--quiet) }
button { width: 100%; min-height: 2.75rem; border: 0; border-radius: .5rem; background: var(--act);
  color: var(--on-act); font: inherit; font-weight: 600; cursor: pointer }
button:disabled { opacity: .6 }
a { color: var(--act) }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
[hidden] { display: none }
`
