import type {Handler} from '../handler.ts';
import {unbuilt} from './unbuilt.ts';

// The schema checks the form of a rail only: create refuses one that is not in ACCOUNT_TRANSFER_RAILS (contract/rails.ts).
const create: Handler<'accountTransfers.create'> = () => unbuilt('accountTransfers.create');
const approve: Handler<'accountTransfers.approve'> = () => unbuilt('accountTransfers.approve');
const list: Handler<'accountTransfers.list'> = () => unbuilt('accountTransfers.list');

export const accountTransferHandlers = {create, approve, list};
