import { createHash } from 'node:crypto'
import { Html } from '../http/html.ts'

/** Shows the buttons, which copy the code beside them, or select it if the browser forbids copying. */
const source = `
const status = document.querySelector('[role=status]')
for (const button of document.querySelectorAll('button')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const code = button.parentElement.querySelector('code, pre')
    let done = 'Copied'
    try {
      await navigator.clipboard.writeText(code.textContent)
    } catch {
      getSelection().selectAllChildren(code)
      done = 'Selected'
    }
    status.textContent = done + ': ' + button.getAttribute('aria-label')
    button.textContent = done
    setTimeout(() => { button.textContent = 'Copy' }, 2000)
  })
}
`

/** The only script of the page. */
export const script = new Html(source)

/** The source expression that allows only this script (Content Security Policy Level 3). */
export const scriptHash = `'sha256-${createHash('sha256').update(source).digest('base64')}'`
