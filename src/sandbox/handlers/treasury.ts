import type {Handler} from '../handler.ts';
import {unbuilt} from './unbuilt.ts';

const accounts: Handler<'treasury.accounts'> = () => unbuilt('treasury.accounts');
const balance: Handler<'treasury.balance'> = () => unbuilt('treasury.balance');
const transactions: Handler<'treasury.transactions'> = () => unbuilt('treasury.transactions');
const updateLabel: Handler<'treasury.updateLabel'> = () => unbuilt('treasury.updateLabel');
const simulateInboundCredit: Handler<'treasury.simulateInboundCredit'> = () =>
  unbuilt('treasury.simulateInboundCredit');

export const treasuryHandlers = {accounts, balance, transactions, updateLabel, simulateInboundCredit};
