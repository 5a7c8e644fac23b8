/** Microsoft Graph, the only permission that the stack requests, and those that CI needs to deploy and to compare it. */
export const graph = {
  appId: '00000003-0000-0000-c000-000000000000',
  /** Delegated User.Read: a user's own profile. */
  userRead: 'e1fe6dd8-ba31-4d61-89e7-88639da4683d',
  /** The application permission Application.ReadWrite.OwnedBy. */
  readWriteOwnedBy: '18a4783c-866b-4cc7-a460-3d5e5662c884',
  /** The application permission Application.Read.All. */
  readAll: '9a5d68dd-52b0-4cc2-bd40-abcf44ac3a30',
} as const
