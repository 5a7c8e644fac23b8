/** Sets HOMEPORT_GRAPH_TOKEN. */
export const graphTokenCommand =
  'export HOMEPORT_GRAPH_TOKEN=$(az account get-access-token --resource-type ms-graph --query accessToken --output tsv)'
