import { writeGenerated } from './generated.ts'

/** Writes docs/homeport.svg, the picture in the README: what Homeport is made of, and what each part talks to. */

type Row = 0 | 1 | 2

interface Box {
  readonly title: string
  readonly text: string
  /** From 0, left to right. */
  readonly column: number
  readonly row: Row
  /** How many rows it covers. */
  readonly rows?: 1 | 3
  /** `ours` is a part of Homeport; the sandbox emulates each `service`. */
  readonly kind: 'ours' | 'service' | 'yours'
  readonly declared?: true
}

const boxes: readonly Box[] = [
  { title: 'Your address', text: 'from sources or a router', column: 0, row: 0, kind: 'service' },
  { title: 'Action, command', text: 'image, push endpoint', column: 1, row: 0, kind: 'ours' },
  { title: 'DNS record', text: 'home.example.com', column: 2, row: 0, kind: 'service', declared: true },
  { title: 'Microsoft Entra', text: 'knows who it is', column: 0, row: 1, kind: 'service', declared: true },
  { title: 'Browser', text: 'of an employee', column: 1, row: 1, kind: 'yours' },
  {
    title: 'Sign-in handler',
    text: 'on a host, or a Worker',
    column: 2,
    row: 1,
    kind: 'ours',
    declared: true,
  },
  { title: 'Employee table', text: 'PostgreSQL or D1', column: 2, row: 2, kind: 'yours', declared: true },
  { title: 'Your service', text: 'at your address', column: 3, row: 0, rows: 3, kind: 'yours' },
]

/** From the right edge of a column to the next one. */
const arrows: readonly { readonly column: number; readonly row: Row; readonly both?: true }[] = [
  { column: 0, row: 0 },
  { column: 1, row: 0 },
  { column: 2, row: 0 },
  { column: 0, row: 1, both: true },
  { column: 1, row: 1 },
  { column: 2, row: 1 },
]

const headings = ['Keep a record up to date', 'Sign employees in']

const margin = 20
const box = { width: 170, height: 64, gap: 36 }
const rowTop = [48, 164, 264] as const
const width = 2 * margin + 4 * box.width + 3 * box.gap
const legendTop = 362
const height = 404

const left = (column: number): number => margin + column * (box.width + box.gap)

function drawBox({ title, text, column, row, rows = 1, kind, declared }: Box): string {
  const [x, y] = [left(column), rowTop[row]]
  const bottom = rowTop[row + rows - 1] ?? y
  const tall = bottom + box.height - y
  const middle = x + box.width / 2
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${box.width}" height="${tall}" rx="8"/>`,
    ...(declared ? [dot(x + 11, y + 11)] : []),
    `<text class="title" x="${middle}" y="${y + tall / 2 - 3}">${title}</text>`,
    `<text x="${middle}" y="${y + tall / 2 + 17}">${text}</text>`,
  ].join('\n')
}

const dot = (x: number, y: number): string => `<circle cx="${x}" cy="${y}" r="4"/>`

function drawArrow({ column, row, both }: (typeof arrows)[number]): string {
  const [from, to, y] = [left(column) + box.width + 5, left(column + 1) - 5, rowTop[row] + box.height / 2]
  const head = (x: number, back: number) => `M${x + back} ${y - 5}L${x} ${y}L${x + back} ${y + 5}`
  return `<path d="M${from} ${y}H${to}${head(to, -6)}${both ? head(from, 6) : ''}"/>`
}

/** From the handler down to the employees. */
function drawDown(): string {
  const [x, from, to] = [left(2) + box.width / 2, rowTop[1] + box.height + 5, rowTop[2] - 5]
  return `<path d="M${x} ${from}V${to}M${x - 5} ${to - 6}L${x} ${to}L${x + 5} ${to - 6}"/>`
}

const legend = [
  `<rect class="ours" x="${left(0)}" y="${legendTop}" width="26" height="18" rx="4"/>`,
  `<text class="left" x="${left(0) + 34}" y="${legendTop + 14}">part of Homeport</text>`,
  `<rect class="service" x="${left(1)}" y="${legendTop}" width="26" height="18" rx="4"/>`,
  `<text class="left" x="${left(1) + 34}" y="${legendTop + 14}">emulated by the sandbox</text>`,
  dot(left(2) + 20, legendTop + 9),
  `<text class="left" x="${left(2) + 34}" y="${legendTop + 14}">declared by the Pulumi program</text>`,
]

const svg = `<!-- Written by \`npm run docs\` from tools/write-picture.ts. Do not edit. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description">
<title id="title">The parts of Homeport</title>
<desc id="description">Address sources or a router give an address to the action, the command, the image or the push endpoint, which write the DNS record if the address changed. The record points at your service. An employee signs in to Microsoft Entra in a browser. The sign-in handler, on a host or as a Worker, learns from Entra who it is, finds the employee in a table and lets them through to your service. The Pulumi program declares the record, the registration in Entra, the Worker with its table, or the settings of a handler on a host. The sandbox emulates the address sources, the DNS and Entra.</desc>
<style>
.paper { fill: #ffffff; stroke: #d1d9e0 }
.ours { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.5 }
.service { fill: #f6f8fa; stroke: #59636e; stroke-dasharray: 5 4 }
.yours { fill: #f6f8fa; stroke: #59636e }
circle { fill: #8250df }
path { fill: none; stroke: #59636e; stroke-width: 1.5; stroke-linecap: round; stroke-linejoin: round }
text { fill: #1f2328; font: 13px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; text-anchor: middle }
.title { font-size: 15px; font-weight: 600 }
.left, .heading { text-anchor: start }
.heading { fill: #59636e; font-size: 14px }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; stroke: #3d444d }
.ours { fill: #10233d; stroke: #4493f8 }
.service, .yours { fill: #151b23; stroke: #9198a1 }
circle { fill: #ab7df8 }
path { stroke: #9198a1 }
text { fill: #f0f6fc }
.heading { fill: #9198a1 }
}
</style>
<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="12"/>
${headings.map((text, row) => `<text class="heading" x="${margin}" y="${(rowTop[row] ?? 0) - 14}">${text}</text>`).join('\n')}
${boxes.map(drawBox).join('\n')}
${arrows.map(drawArrow).join('\n')}
${drawDown()}
${legend.join('\n')}
</svg>
`

writeGenerated('docs/homeport.svg', svg)
