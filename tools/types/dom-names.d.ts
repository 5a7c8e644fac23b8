/**
 * DOM names that playwright's declarations mention, with hardly a member in them. The repository compiles without the
 * DOM's types: with them, server code could use `document` unnoticed.
 */
declare global {
  interface Node {
    readonly nodeType: number
  }
  interface HTMLElement extends Node {
    readonly tagName: string
  }
  interface SVGElement extends Node {
    readonly tagName: string
  }
  type HTMLElementTagNameMap = Record<string, HTMLElement>
}

export {}
