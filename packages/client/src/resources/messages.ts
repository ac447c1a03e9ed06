import { Resource } from './resource.js';

/** Emails of the organization: sent directly, and those of jobs. */
export class Emails extends Resource {
  /** Sends an email now, without a job. */
  send = this.withBody('sendEmail');
  list = this.pageOf('listEmails');
  all = this.allOf(() => this.list);
  get = this.byId('getEmail');
}

/** Chat messages of the organization, which jobs have sent. */
export class ChatMessages extends Resource {
  list = this.pageOf('listChatMessages');
  all = this.allOf(() => this.list);
  get = this.byId('getChatMessage');
}

/** Text messages of the organization: sent directly, and those of jobs. */
export class TextMessages extends Resource {
  /** Sends a text message now, without a job. */
  send = this.withBody('sendSms');
  list = this.pageOf('listSms');
  all = this.allOf(() => this.list);
  get = this.byId('getSms');
}
