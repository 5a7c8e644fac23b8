/** Names the release, as package.json does. */
export const version = '0.1.0'
