import { oneOf } from "@sonde/kit/one-of";
import { agentStatuses, thresholdScopes } from "@sonde/proto/http/agents";
import { checkErrorKinds, checkStatuses } from "@sonde/proto/http/checks";
import { deliveryStatuses } from "@sonde/proto/http/deliveries";
import { agentChange, incidentEvent, monitorChange } from "@sonde/proto/http/events";
import { incidentKinds, incidentResolutions } from "@sonde/proto/http/incidents";
import { monitorStatuses } from "@sonde/proto/http/monitors";
import { recentCheckStatuses } from "@sonde/proto/http/recent-checks";
import { impacts, updateStates } from "@sonde/proto/http/status";
import { targetTypes } from "@sonde/proto/http/targets";
import { roles } from "@sonde/proto/http/users";

// Protobuf carries these as text: they are read here, where other services' answers and events enter.

export const readAgentChange = oneOf(agentChange.shape.change.options, "change of an agent");
export const readAgentStatus = oneOf(agentStatuses, "status of an agent");
export const readCheckErrorKind = oneOf(checkErrorKinds, "kind of failure");
export const readCheckStatus = oneOf(checkStatuses, "status of a check");
export const readDeliveryStatus = oneOf(deliveryStatuses, "status of a delivery");
export const readImpact = oneOf(impacts, "impact");
export const readIncidentChange = oneOf(incidentEvent.shape.change.options, "change of an incident");
export const readIncidentKind = oneOf(incidentKinds, "kind of incident");
export const readMonitorChange = oneOf(monitorChange.shape.change.options, "change of a monitor");
export const readMonitorStatus = oneOf(monitorStatuses, "status of a monitor");
export const readRecentCheckStatus = oneOf(recentCheckStatuses, "status of a recent check");
export const readResolution = oneOf(incidentResolutions, "resolution of an incident");
export const readRole = oneOf(roles, "role");
export const readTargetType = oneOf(targetTypes, "kind of target");
export const readThresholdScope = oneOf(thresholdScopes, "scope of thresholds");
export const readUpdateState = oneOf(updateStates, "state of an announcement");
