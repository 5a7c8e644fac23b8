/** System fonts and colours in light and dark, one column that fits 320 px, contrast of at least 4.5:1. */
export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1a1c20, #f2f3f5); --quiet: light-dark(#555b66, #b4bac4);
  --ground: light-dark(#f5f6f8, #16181c); --card: light-dark(#fff, #22252b); --line: light-dark(#d5d9e0, #3b404a);
  --act: light-dark(#0b5cad, #7cb8ff); --on-act: light-dark(#fff, #0b1a2b); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 28rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
h1:focus { outline: none; }
p { margin: 0 0 1rem; }
section > :last-child, div > :last-child, main > :last-child { margin-bottom: 0; }
dl { margin: 0 0 1rem; display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 0; border-radius: .5rem;
  background: var(--act); color: var(--on-act); font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; }
button:disabled { opacity: .6; cursor: progress; }
a { color: var(--act); }
:focus-visible { outline: 3px solid var(--act); outline-offset: 3px; }
.quiet { color: var(--quiet); font-size: .875rem; }
[hidden] { display: none; }
`
