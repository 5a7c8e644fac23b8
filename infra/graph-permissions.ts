/** Microsoft Graph and the only permission requested: delegated User.Read, a user's own profile. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
} as const
