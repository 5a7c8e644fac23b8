/**
 * Returns a text without any of these characters at its ends. By index: a pattern for the end, such as `/ +$/`, starts anew at each
 * character inside, so strangers could make it take a time that grows with the square of their text.
 */
export function trimmed(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start += 1
  return trimmedEnd(text.slice(start), characters)
}

/** Returns a text without any of these characters at its end, as `trimmed` does. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
