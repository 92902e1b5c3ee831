import { oneOf } from "@sonde/kit/one-of";
import { agentStatuses } from "@sonde/proto/http/agents/agents";
import { deliveryStatuses } from "@sonde/proto/http/notifications/deliveries";
import { agentChange, incidentEvent, monitorChange } from "@sonde/proto/http/events";
import { incidentKinds, incidentResolutions } from "@sonde/proto/http/incidents/incidents";
import { monitorStatuses } from "@sonde/proto/http/monitors/monitors";
import { roles } from "@sonde/proto/http/users";

// Protobuf carries these as text: they are read here, where other services' answers and events enter.

export const readAgentChange = oneOf(agentChange.shape.change.options, "change of an agent");
export const readAgentStatus = oneOf(agentStatuses, "status of an agent");
export const readDeliveryStatus = oneOf(deliveryStatuses, "status of a delivery");
export const readIncidentChange = oneOf(incidentEvent.shape.change.options, "change of an incident");
export const readIncidentKind = oneOf(incidentKinds, "kind of incident");
export const readMonitorChange = oneOf(monitorChange.shape.change.options, "change of a monitor");
export const readMonitorStatus = oneOf(monitorStatuses, "status of a monitor");
export const readResolution = oneOf(incidentResolutions, "resolution of an incident");
export const readRole = oneOf(roles, "role");
