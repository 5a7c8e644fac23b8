import { type Html, html } from '../../sandbox/http/html.ts'
import type { DeclaredResource } from './declared.ts'

const node = { width: 232, height: 44 }
const gap = { x: 44, y: 14 }
const margin = 8

/** The upper left corner of a node. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** For each resource, the resources to draw an arrow from: those it needs, except those another of them needs as well. */
type Arrows = ReadonlyMap<string, readonly string[]>

function arrowsOf(resources: readonly DeclaredResource[]): Arrows {
  const all = new Map(resources.map(({ name, needs }) => [name, needs]))
  const reaches = (from: string, to: string): boolean =>
    (all.get(from) ?? []).some(need => need === to || reaches(need, to))
  return new Map(
    resources.map(({ name, needs }) => [
      name,
      needs.filter(need => !needs.some(other => reaches(other, need))),
    ]),
  )
}

/**
 * Places resources in columns, each to the right of everything that it needs, and level with it if there is room. A
 * resource that needs nothing is in the column before the first one that needs it.
 */
export function placesOf(arrows: Arrows): ReadonlyMap<string, Place> {
  const depthOf = (name: string): number =>
    Math.max(0, ...(arrows.get(name) ?? []).map(need => depthOf(need) + 1))
  const columnOf = (name: string): number => {
    const users = [...arrows].filter(([, needs]) => needs.includes(name)).map(([user]) => depthOf(user) - 1)
    return depthOf(name) > 0 || users.length === 0 ? depthOf(name) : Math.min(...users)
  }
  const columns = Map.groupBy(arrows.keys(), columnOf)
  const places = new Map<string, Place>()
  for (const [column, names] of [...columns].toSorted(([one], [other]) => one - other)) {
    const wanted = names.map(name => ({ name, y: meanY(arrows.get(name) ?? [], places) }))
    let next = margin
    for (const { name, y: level } of wanted.toSorted((one, other) => one.y - other.y)) {
      const y = Math.max(next, level)
      places.set(name, { x: margin + column * (node.width + gap.x), y })
      next = y + node.height + gap.y
    }
  }
  return places
}

function meanY(names: readonly string[], places: ReadonlyMap<string, Place>): number {
  const known = names.map(name => places.get(name)?.y ?? 0)
  return known.reduce((sum, y) => sum + y, 0) / Math.max(1, known.length)
}

/** Draws resources, the owners of their fields other than Pulumi, and arrows to resources that use their outputs. */
export function drawGraph(resources: readonly DeclaredResource[]): Html {
  const arrows = arrowsOf(resources)
  const places = placesOf(arrows)
  const at = (name: string): Place => places.get(name) ?? { x: 0, y: 0 }
  const all = [...places.values()]
  const width = Math.max(...all.map(({ x }) => x)) + node.width + margin
  const height = Math.max(...all.map(({ y }) => y)) + node.height + margin
  const edges = [...arrows].flatMap(([name, needs]) => needs.map(need => ({ from: at(need), to: at(name) })))
  return html`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"
aria-label="A graph of ${resources.length} resources. The list below has the same.">
<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>
${edges.map(({ from, to }) => {
  const [x, y, toX, toY] = [from.x + node.width, from.y + node.height / 2, to.x, to.y + node.height / 2]
  const middle = gap.x * 0.6
  return html`<path class="edge" marker-end="url(#arrow)" d="M${x} ${y}C${x + middle} ${y} ${toX - middle} ${toY} ${toX} ${toY}"/>`
})}
${resources.map(({ name, kind, fields }) => {
  const { x, y } = at(name)
  const others = [...new Set(fields.map(({ owner }) => owner))].filter(owner => owner !== 'Pulumi')
  return html`<g class="${others.length > 0 ? 'node shared' : 'node'}" transform="translate(${x} ${y})">
<rect width="${node.width}" height="${node.height}" rx="8"/><text x="12" y="18">${name}</text>
<text class="kind" x="12" y="35">${kind}${others.length > 0 ? ` · Pulumi, ${others.join(', ')}` : ''}</text></g>`
})}</svg>`
}
