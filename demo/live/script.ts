/**
 * Shows each part of the page as the server sends it, and sends the forms without leaving the page. Hidden pages
 * disconnect, because browsers allow six connections to a host across all tabs.
 */
export const script = `
const state = document.getElementById('state')
let source
function connect() {
  source = new EventSource('/live/events')
  for (const part of document.querySelectorAll('[data-part]'))
    source.addEventListener(part.id, event => { part.innerHTML = JSON.parse(event.data) })
  source.onerror = () => {
    state.textContent = 'Not connected to the demo. Trying again…'
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000)
  }
}
function follow() {
  source?.close()
  if (document.visibilityState === 'visible') connect()
}
for (const form of document.forms) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    fetch(form.action, { method: 'POST', redirect: 'manual' }).catch(() => {
      state.textContent = 'Not connected to the demo. Is it still running?'
    })
  })
}
document.addEventListener('visibilitychange', follow)
follow()
`
