/** Whether a text has the form of Entra's ids, in either case (RFC 9562 §4). */
export function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}
