import { expect, it } from 'vitest'
import { html } from '../../sandbox/http/html.ts'

it('html`` escapes text and control characters, and keeps nested HTML', () => {
  const inner = html`<b>${'<i>'}</b>`
  expect(html`<p title="${`"'&`}">${inner}${[inner, inner]}${1}${'\u0007'}</p>`.text).toBe(
    '<p title="&quot;&#39;&amp;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b><b>&lt;i&gt;</b>1?</p>',
  )
})
