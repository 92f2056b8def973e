"""Answers: what a student says, judged.

student_answer  a student's answer, judged as the claim that it is
"""
