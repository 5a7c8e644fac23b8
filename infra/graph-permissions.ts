/** Microsoft Graph, and its delegated permission to read the signed-in person's own profile: all that is asked for. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
} as const
