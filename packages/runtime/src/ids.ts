export { v4 as randomId, v7 as newId, validate as isUuid } from 'uuid';
